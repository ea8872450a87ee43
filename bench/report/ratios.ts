// Ratios as bars beside the line at which each should end: to the right of it for a ratio that
// should be large, to the left for a small one. Each bar has the scale of its own bound, so all
// lines stand below each other.
import { type Bound, boundText, type Findings, isMet } from '../measured.ts'
import { escaped, shown } from './text.ts'

/** The line stands in the middle; a bar of more than twice its bound ends at the edge. */
const LINE_AT = 50
const END = 100

const LINE = '<rect class="bound" x="' + (LINE_AT - 0.25) + '" y="0" width="0.5" height="10"/>'

interface Bar {
  sentence: string
  ratio: number
  bound: Bound | null
  /** The two figures, where they are known. */
  told: string
}

/** Targets and ratios of one bench. */
export function ratioBars({ targets, ratios = [] }: Findings): string {
  const bars: Bar[] = [
    ...ratios.map(({ sentence, ratio, bound, ours, theirs, unit }) => ({
      sentence,
      ratio,
      bound,
      told: shown(ours) + ' : ' + shown(theirs) + ' ' + unit,
    })),
    ...targets.map((target) => ({
      sentence: target.sentence,
      ratio: target.ratio,
      bound: target,
      told: '',
    })),
  ]
  if (bars.length === 0) return ''
  const key =
    '<p class="soft">The line is the target: “at least” has to reach it, “at most” to end before it.</p>'
  return '<div class="ratios">' + key + bars.map(drawn).join('') + '</div>'
}

function drawn({ sentence, ratio, bound, told }: Bar): string {
  const [word, verdict] = verdictOf(ratio, bound)
  const limit = bound === null ? 1 : 'atMost' in bound ? bound.atMost : bound.atLeast
  const end = Number.isFinite(ratio) ? Math.min(END, Math.max(0.5, (ratio / limit) * LINE_AT)) : 0
  return (
    '<div class="ratio"><p>' +
    escaped(sentence) +
    (told === '' ? '' : ' <small>' + escaped(told) + '</small>') +
    '</p><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">' +
    '<rect class="track" x="0" y="0" width="100" height="10"/><rect class="' +
    verdict +
    '" x="0" y="1.5" width="' +
    end.toFixed(2) +
    '" height="7"/>' +
    (bound === null ? '' : LINE) +
    '</svg><p class="value"><b>' +
    shown(ratio) +
    '</b> ' +
    (bound === null ? 'told, no target' : escaped(boundText(bound))) +
    ' <em class="' +
    verdict +
    '">' +
    word +
    '</em></p></div>'
  )
}

function verdictOf(ratio: number, bound: Bound | null): readonly [word: string, verdict: string] {
  if (bound === null) return ['', 'told']
  return isMet(ratio, bound) ? ['met', 'met'] : ['missed', 'missed']
}
