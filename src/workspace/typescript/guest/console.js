// The console and `print`. Values are described here and laid out by the host, so that one renderer serves everyone.
import { ask, operation } from './host.js';
import { defineProperty, freeze, MapClass, mapGet, mapSet, toText } from './primordials.js';
import { describe } from './wire.js';

function printer(level, name = level) {
  return {
    [name](...values) {
      ask(operation.print, `${level}\n${describe(values)}`);
    },
  }[name];
}

const counts = new MapClass();

export function installConsole(global) {
  const log = printer('log');
  const guestConsole = {
    log,
    info: printer('info'),
    debug: printer('debug'),
    warn: printer('warn'),
    error: printer('error'),
    trace: printer('debug'),
    dir: (value) => log(value),
    table: (value) => log(value),
    group: (...values) => void ask(operation.print, `group\n${describe(values)}`),
    groupEnd: () => void ask(operation.print, `groupEnd\n${describe([])}`),
    assert: (condition, ...values) => {
      if (!condition) ask(operation.print, `error\n${describe(values.length === 0 ? ['Assertion failed'] : values)}`);
    },
    count: (label = 'default') => {
      const name = toText(label);
      const count = (mapGet(counts, name) ?? 0) + 1;
      mapSet(counts, name, count);
      log(`${name}: ${count}`);
    },
    countReset: (label = 'default') => void mapSet(counts, toText(label), 0),
  };
  defineProperty(global, 'console', {
    __proto__: null,
    value: freeze(guestConsole),
    writable: true,
    enumerable: false,
    configurable: true,
  });
  defineProperty(global, 'print', {
    __proto__: null,
    value: freeze(printer('log', 'print')),
    writable: true,
    enumerable: false,
    configurable: true,
  });
}
