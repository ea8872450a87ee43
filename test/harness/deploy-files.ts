// Reads from the files of deploy/ the metrics and indicators that they name.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DEPLOY = join(import.meta.dirname, '../../deploy')
const WATCHING = ['prometheus/recording.yml', 'prometheus/alerts.yml', 'grafana/svc.json']

/** The text of a file of deploy/. */
export function deployText(path: string): string {
  return readFileSync(join(DEPLOY, path), 'utf8')
}

/** Names that a pattern with one group finds in the rules and the dashboard, each once, sorted. */
export function watched(pattern: RegExp): string[] {
  const texts = WATCHING.map(deployText).join('\n')
  return [...new Set([...texts.matchAll(pattern)].map(([, name = '']) => name))].toSorted()
}

/** Families of metrics that alerts, indicators and the dashboard read. */
export function watchedFamilies(): string[] {
  const names = watched(/\b(svc_[a-z_]+)\b/g).map((name) =>
    name.replace(/_seconds_(bucket|count|sum)$/, '_seconds'),
  )
  return [...new Set(names)]
}
