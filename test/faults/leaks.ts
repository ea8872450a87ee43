// Searches every file of the data directory (logs, journal, snapshots, cache) for data that must
// never be written down.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from './stack.ts'

/** Returns a sentence for each PAN and each secret that a file contains. */
export function leaks(stack: Stack): string[] {
  const { cards, keys, network, realtime_endpoint: endpoint } = stack.secrets
  const secrets: [what: string, text: string][] = [
    ['the secret of the network', network.secret],
    ['the secret of the endpoint', endpoint.secret],
    ...Object.entries(keys).map(([role, key]): [string, string] => ['the key to ' + role, key]),
    ...Object.values(cards).map((card): [string, string] => ['the PAN of ' + card.id, card.pan]),
  ]
  const found: string[] = []
  for (const entry of readdirSync(stack.directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = readFileSync(join(entry.parentPath, entry.name))
    for (const [what, text] of secrets)
      if (bytes.includes(text)) found.push(entry.name + ' holds ' + what)
  }
  return found
}
