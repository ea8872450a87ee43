// Phases of a settlement batch: how far did it come, and where does it stand?
import type { SettlementBatch } from '../../../client/generated.ts'
import { type Html, html } from '../../../shared/html.ts'
import { moment, seconds } from '../parts/moment.ts'
import { wordsOf } from '../parts/tag.ts'

const PHASES = ['open', 'submitted', 'included', 'completed'] as const

const WORDS: { readonly [phase in (typeof PHASES)[number]]: string } = {
  open: 'Made of what waited',
  submitted: 'Sent to the chain',
  included: 'In a block',
  completed: 'Final: paid out',
}

/** Every phase in its order, with a sign and a word: passed, reached now, still to come, failed. */
export function settlementPhases(of: SettlementBatch): Html {
  const reached = reachedBy(of)
  return html`<ol class="steps trace">${PHASES.map((phase, at) => {
    const isFailed = of.status === 'failed' && at === reached + 1
    const [sign, word] = isFailed
      ? ['✕', 'failed']
      : at <= reached
        ? ['✓', 'done']
        : at === reached + 1
          ? ['▸', 'next']
          : ['○', 'later']
    return html`<li class="${isFailed ? 'stop' : ''}"><span>${word}</span><span aria-hidden="true">${sign}</span><span><strong>${WORDS[phase]}</strong> <small>${at <= reached ? detailOf(of, phase) : isFailed ? wordsOf(of.failure?.code ?? '') : null}</small></span></li>`
  })}</ol>`
}

/** Place of the last phase that the batch has passed. */
function reachedBy({ status, transaction_hash: hash, block_number: block }: SettlementBatch) {
  if (status !== 'failed') return PHASES.indexOf(status)
  return block !== null ? 2 : hash !== null ? 1 : 0
}

function detailOf(of: SettlementBatch, phase: (typeof PHASES)[number]): Html | string | null {
  if (phase === 'open') return seconds(of.created)
  if (phase === 'included' && of.block_number !== null) return 'block ' + of.block_number
  return phase === 'completed' ? moment(of.completed_at) : null
}
