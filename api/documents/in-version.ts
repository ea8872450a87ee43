// A document in an older version: the schemas of the kinds of resources that later versions
// changed.
import { API_VERSION } from '../../shared/event-catalog.ts'
import { schemaInVersion } from '../http/versions/chain.ts'
import type { ShownSchema } from '../http/versions/change.ts'
import type { OpenApiDocument } from './document.ts'

/** The same document with every resource as that version shows it. */
export function inDocumentVersion(document: OpenApiDocument, version: string): OpenApiDocument {
  return version === API_VERSION ? document : (changed(document, version) as OpenApiDocument)
}

function changed(value: unknown, version: string): unknown {
  if (Array.isArray(value)) return value.map((item) => changed(item, version))
  if (typeof value !== 'object' || value === null) return value
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, changed(part, version)]),
  )
  const kind = kindOf(inner)
  return kind === null ? inner : schemaInVersion(kind, inner, version)
}

/** The kind of resource that a schema describes, or null. */
function kindOf({ properties }: ShownSchema): string | null {
  const kind = properties?.['object']?.['const']
  return typeof kind === 'string' ? kind : null
}
