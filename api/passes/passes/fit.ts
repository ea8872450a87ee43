// Checks whether a pass fits its version of the template.
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import { Refusal } from '../../http/refusal.ts'
import { misfitOf } from '../templates/index.ts'
import { fillTemplate } from '../wallets/model/render.ts'
import type { PassRow } from './view.ts'

/**
 * Refuses (400) values that no wallet could show. Chosen: a pass is checked at issue and at change,
 * never after a template change: wallets then leave out misfits.
 */
export function requireFit(content: PassContent, row: PassRow): void {
  const misfit = misfitOf(fillTemplate(content, row))
  if (misfit === null) return
  throw new Refusal('parameter_invalid', {
    param: 'values',
    message: misfit.sentence + ' (' + misfit.at + ' of the template)',
  })
}
