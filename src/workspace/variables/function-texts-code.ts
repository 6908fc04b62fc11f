// The code that asks functions for their text, in the two languages. It runs on a copy of a program and leaves nothing behind.

/** `places` are pairs of the index of a variable and the steps from it. */
type GivenPlaces = readonly (readonly unknown[])[];

export function typescriptFunctionTexts(variables: readonly string[], places: GivenPlaces): string {
  return `((roots, places) => {
  const text = Function.prototype.toString;
  return places.map(([root, steps]) => {
    try {
      let value = roots[root]();
      for (const [kind, step] of steps)
        value = kind === 'm' ? [...Map.prototype.values.call(value)][step] : kind === 's' ? [...value][step] : value[step];
      return text.call(value);
    } catch {
      return '';
    }
  });
})([${variables.map((name) => `() => ${name}`).join(', ')}], ${JSON.stringify(places)})`;
}

/**
 * Python does not keep the source of a function: what is compared is what it was compiled to. Line numbers are not part of that, so the
 * same code given again is the same.
 */
export function pythonFunctionTexts(variables: readonly string[], places: GivenPlaces): string {
  return `def _statek_texts(roots, places):
    plain = (int, float, complex, str, bytes, bool, type(None), type(...))
    code_type = type(_statek_texts.__code__)
    function_type = type(_statek_texts)
    unimportant = ('__dict__', '__weakref__', '__firstlineno__', '__static_attributes__', '__module__')

    def data(value, depth=0):
        if type(value) is code_type:
            return code(value)
        if type(value) in plain:
            return repr(value)
        if type(value) in (tuple, list, frozenset) and depth < 5:
            return [type(value).__name__, [data(item, depth + 1) for item in value]]
        return type(value).__name__

    def code(c):
        counts = [c.co_argcount, c.co_posonlyargcount, c.co_kwonlyargcount, c.co_flags]
        names = [list(c.co_names), list(c.co_varnames), list(c.co_freevars), list(c.co_cellvars)]
        return [c.co_code.hex(), counts, names, [data(const) for const in c.co_consts]]

    def text(value, depth=0):
        if type(value) is function_type:
            return [code(value.__code__), data(value.__defaults__), data(tuple((value.__kwdefaults__ or {}).items()))]
        if type(value) in (staticmethod, classmethod):
            return [type(value).__name__, text(value.__func__, depth)]
        if type(value) is property:
            return ['property', [text(part, depth) for part in (value.fget, value.fset, value.fdel)]]
        if isinstance(value, type) and depth < 5:
            members = [[name, text(member, depth + 1)] for name, member in vars(value).items() if name not in unimportant]
            return [[base.__name__ for base in value.__bases__], members]
        return data(value)

    def found(root, steps):
        value = roots[root]()
        for kind, step in steps:
            if kind == 'm':
                value = list(value.values())[step]
            elif kind == 's':
                value = list(value)[step]
            elif isinstance(value, (dict, list, tuple)) or not isinstance(step, str):
                value = value[step]
            else:
                value = getattr(value, step)
        return value

    texts = []
    for root, steps in places:
        try:
            texts.append(repr(text(found(root, steps))))
        except Exception:
            texts.append('')
    return texts

_statek_texts([${variables.map((name) => `lambda: ${name}`).join(', ')}], ${JSON.stringify(places)})`;
}
