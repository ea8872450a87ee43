// Builds the client package: plain modules and their types, which run without any other part of the
// service.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const CLIENT = fileURLToPath(new URL('../../client/', import.meta.url))

/** Writes the modules and their declarations into `folder`; returns the compiler's complaints. */
export function buildClient(folder: string): string[] {
  const program = ts.createProgram(
    readdirSync(CLIENT)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => CLIENT + name),
    {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: CLIENT,
      outDir: folder,
      skipLibCheck: true,
    },
  )
  const emitted = program.emit()
  return [...ts.getPreEmitDiagnostics(program), ...emitted.diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  )
}
