// The rows of the README's table from the figures of a run: `node bench/readme-rows.ts bench/results/<date>.json`, the latest run
// where no file is named. What did not run has no row.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { boundText, isMet } from './measured.ts'
import type { Report } from './report/page.ts'
import { shown } from './report/text.ts'

/** Markdown, a row for each ratio and target: what, what came of it, what is wanted, and how to measure it again. */
export function readmeRows({ benches }: Pick<Report, 'benches'>): string[] {
  return benches.flatMap(({ command, findings: { ratios = [], targets } }) => {
    const again = '`' + command.replace('npm run bench ', '') + '`'
    return [
      ...ratios.map(({ sentence, ratio, ours, theirs, unit, bound }) => {
        const figures = shown(ratio) + ' (' + shown(ours) + ' : ' + shown(theirs) + ' ' + unit + ')'
        const wanted = bound === null ? '' : boundText(bound) + missed(isMet(ratio, bound))
        return row(sentence, figures, wanted, again)
      }),
      ...targets.map((target) => {
        const wanted = boundText(target) + missed(isMet(target.ratio, target))
        return row(target.sentence, shown(target.ratio), wanted, again)
      }),
    ]
  })
}

function missed(met: boolean): string {
  return met ? '' : ', missed'
}

function row(...cells: readonly string[]): string {
  return '| ' + cells.join(' | ') + ' |'
}

function latest(): string {
  const results = fileURLToPath(new URL('results/', import.meta.url))
  const name = readdirSync(results)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .at(-1)
  if (name === undefined) throw new Error('there are no results')
  return join(results, name)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = JSON.parse(readFileSync(process.argv[2] ?? latest(), 'utf8')) as Report
  process.stdout.write(readmeRows(report).join('\n') + '\n')
}
