// Modules of the application for Python: files by their path, `helpers.py` or `billing/__init__.py` and `billing/tax.py`.

/** Whether a registered module is one for Python. */
export function isPythonModule(path: string): boolean {
  return path.endsWith('.py');
}

/** What boot code is told of a module: its kind and its source, or that there is none. */
export function moduleAnswer(modules: ReadonlyMap<string, string>, name: string): string {
  const path = name.replaceAll('.', '/');
  const file = modules.get(`${path}.py`);
  if (file !== undefined) return `=module\n${file}`;
  const start = modules.get(`${path}/__init__.py`);
  if (start !== undefined) return `=package\n${start}`;
  // A folder of modules needs no file of its own.
  for (const other of modules.keys()) if (other.startsWith(`${path}/`)) return '=package\n';
  return '!';
}
