// Rows of a long list that are in sight; the others do not exist.
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

interface VirtualOptions {
  readonly count: number;
  readonly size: number;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly keyOf: (index: number) => string | number;
}

export function useVirtual({ count, size, scroller, keyOf }: VirtualOptions): Virtualizer<HTMLElement, Element> {
  const [, draw] = useReducer<number, undefined>((number) => number + 1, 0);
  const drawing = useRef(0);
  const options = {
    count,
    estimateSize: () => size,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementOffset,
    observeElementRect,
    onChange: () => {
      // Once a frame, however often it scrolls.
      cancelAnimationFrame(drawing.current);
      drawing.current = requestAnimationFrame(() => draw(undefined));
    },
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, Element>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
