// Stylesheets that screens bring with them; Vite puts them into files.
declare module '*.css';
