// The notes of a release: the newest section of the changelog, and the changes of the API.
import type { Change } from '../../api/documents/released.ts'

export interface Release {
  changelog: string
  changes: readonly Change[]
  /** Reason of each accepted break, by its sentence. */
  accepted: { readonly [sentence: string]: string }
}

/** The newest section of a changelog, from its heading to the next one; null without entries. */
export function newestSection(changelog: string): string | null {
  const [, section] = /^(## .*?)(?=^## |$(?![\s\S]))/ms.exec(changelog) ?? []
  return section === undefined || !/^- /m.test(section) ? null : section.trim()
}

/** The sentences that stand against the release; empty if it may go out. */
export function releaseProblems({ changelog, changes, accepted }: Release): string[] {
  const found = new Set(changes.flatMap(({ breaks }) => breaks))
  const [unseen, stale] = [
    [...found].filter((sentence) => !Object.hasOwn(accepted, sentence)),
    Object.keys(accepted).filter((sentence) => !found.has(sentence)),
  ]
  return [
    ...unseen.map((sentence) => 'breaks clients: ' + sentence),
    ...stale.map((sentence) => 'accepted, and breaks nothing: ' + sentence),
    ...Object.entries(accepted)
      .filter(([, reason]) => reason.trim() === '')
      .map(([sentence]) => 'accepted without a reason: ' + sentence),
    ...(newestSection(changelog) === null ? ['the changelog has no entry'] : []),
  ]
}

export function releaseNotes({ changelog, changes, accepted }: Release): string {
  const added = new Set(changes.flatMap(({ additions }) => additions))
  const list = (lines: readonly string[]): string =>
    lines.map((line) => '- ' + line + '\n').join('')
  const breaks = Object.entries(accepted).map(([sentence, reason]) => sentence + ': ' + reason)
  return [
    (newestSection(changelog) ?? '') + '\n',
    ...(breaks.length === 0 ? [] : ['### Breaks clients\n\n' + list(breaks)]),
    ...(added.size === 0 ? [] : ['### Added to the API\n\n' + list([...added])]),
  ].join('\n')
}
