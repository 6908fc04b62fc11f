// The icons: strokes on a grid of 16.
import type { JSX } from 'preact';

const paths = {
  jobs: 'M3 4h10M3 8h10M3 12h6',
  waiting: 'M3 3.5h10v7H8.5L5.5 13v-2.5H3z',
  objects: 'M8 2.2l5 2.9v5.8l-5 2.9-5-2.9V5.1zM3 5.1l5 2.9 5-2.9M8 8v5.8',
  state:
    'M3 4c0-1.1 2.2-2 5-2s5 .9 5 2-2.2 2-5 2-5-.9-5-2zM3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2',
  system: 'M2.5 12.5h11M4 10V7M8 10V3M12 10V5.5',
  right: 'M6 3.5L10.5 8 6 12.5',
  left: 'M10 3.5L5.5 8l4.5 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.5 10.5L14 14',
  sun: 'M8 5.2a2.8 2.8 0 110 5.6 2.8 2.8 0 010-5.6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8L13 13M13 3l-1.2 1.2M4.2 11.8L3 13',
  moon: 'M13 9.6A5.6 5.6 0 016.4 3 5.6 5.6 0 1013 9.6z',
  system_theme: 'M8 2.5v11a5.5 5.5 0 100-11zM8 2.5a5.5 5.5 0 100 11',
  fork: 'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM4.5 13.5a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM11.5 5.5a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM11.5 5.5c0 3-7 2-7 5',
  back: 'M5.5 3L2.5 6l3 3M2.5 6H10a3.5 3.5 0 010 7H6',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.2v9.6L12.5 8z',
  cancel: 'M8 13.5a5.5 5.5 0 100-11 5.5 5.5 0 000 11zM4.2 4.2l7.6 7.6',
  again: 'M13 8a5 5 0 11-1.5-3.5M13 2.5V5h-2.5',
  download: 'M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10',
  compare: 'M6 3L3 6l3 3M3 6h10M10 7l3 3-3 3M13 10H3',
  bell: 'M4.5 11.5h7L10.5 10V7a2.5 2.5 0 00-5 0v3zM7 13.5h2',
  check: 'M3.5 8.5l3 3 6-7',
  cross: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  circle: 'M8 12.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9z',
  hourglass: 'M4.5 2.5h7M4.5 13.5h7M5 2.5c0 3 2 3.5 3 5.5 1-2 3-2.5 3-5.5M5 13.5c0-3 2-3.5 3-5.5 1 2 3 2.5 3 5.5',
  square: 'M4 4h8v8H4z',
  bolt: 'M8.8 2L4 9h4l-.8 5L12 7H8z',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
