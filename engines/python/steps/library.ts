// The standard library as it is shipped: compiled by the engine itself, so that importing costs no parsing, in one archive that is
// not compressed inside, because the file as a whole is.
import type { PythonBuild } from '../../../src/workspace/python/engine/build.ts';
import { runOnce } from '../../../src/workspace/python/engine/boot.ts';
import { libraryPath } from '../../../src/workspace/python/engine/files.ts';

/** Parts that are of no use without a screen, a browser, processes or foreign code. */
const left = [
  ...['_pyodide', 'pyodide', 'ctypes', 'multiprocessing', 'concurrent/futures/process', 'webbrowser', 'antigravity'],
  ...['ensurepip', 'venv', 'idlelib', 'turtle', 'tkinter', '__phello__', '__hello__', 'site-packages'],
];

const source = `
import io, os, sys, zipfile, importlib.util, marshal, _imp
def make(left):
    original = zipfile.ZipFile('${libraryPath}')
    result = io.BytesIO()
    with zipfile.ZipFile(result, 'w', zipfile.ZIP_STORED) as archive:
        for name in sorted(original.namelist()):
            if name.endswith('/') or any(name == part + '.py' or name.startswith(part + '/') for part in left):
                continue
            data = original.read(name)
            if name.endswith('.py'):
                code = compile(data, '${libraryPath}/' + name, 'exec', dont_inherit=True, optimize=0)
                data = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, 'little')
                data += _imp.source_hash(0, b'') + marshal.dumps(code)
                name += 'c'
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    os.write(1000, result.getvalue())
make(${JSON.stringify(left)})
`;

export function makeLibrary(build: PythonBuild, original: Uint8Array): Uint8Array {
  return runOnce(build, { library: () => original, zone: () => undefined }, source).given;
}
