// What is measured inside the page, as text that the browser runs: the page's own types are not known here.

/** Collects how long tasks held up the page. */
export const observeLongTasks = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.longTasks.push(entry.duration);
  }).observe({ type: 'longtask', buffered: false });
`;

/** Scrolls the list down, a screen with every frame. */
export const scrollThrough = (frames: number): string => `
  new Promise((resolve) => {
    const list = document.querySelector('.jobs');
    let left = ${frames};
    const next = () => {
      list.scrollTop += list.clientHeight;
      if (--left > 0) requestAnimationFrame(next);
      else resolve(list.scrollTop);
    };
    requestAnimationFrame(next);
  })
`;

/** The time at which the variable of this name first shows this value. */
export const whenShown = (name: string, value: number): string => `
  new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('It was not shown within a minute.')), 60_000);
    const isShown = () =>
      [...document.querySelectorAll('[role=treeitem]')].some(
        (item) => item.querySelector('.tree-name')?.textContent === '${name}' &&
          item.querySelector('.tree-value')?.textContent === '${value}',
      );
    if (isShown()) return resolve(Date.now());
    const observer = new MutationObserver(() => {
      if (!isShown()) return;
      observer.disconnect();
      resolve(Date.now());
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  })
`;

/** Presses a key, and resolves with the milliseconds until the variable shows another value. */
export const pressUntilChanged = (key: string, name: string): string => `
  new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('Nothing has changed within a minute.')), 60_000);
    const shown = () =>
      [...document.querySelectorAll('[role=treeitem]')]
        .find((item) => item.querySelector('.tree-name')?.textContent === '${name}')
        ?.querySelector('.tree-value')?.textContent;
    const before = shown();
    const started = performance.now();
    const observer = new MutationObserver(() => {
      if (shown() === undefined || shown() === before) return;
      observer.disconnect();
      resolve(performance.now() - started);
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
  })
`;
