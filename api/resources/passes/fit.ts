// Whether a pass fits the version of the template that it shows.
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import { Refusal } from '../../refuse.ts'
import { fillTemplate, misfitOf } from '../pass-templates/index.ts'
import type { PassRow } from './view.ts'

/**
 * Refuses (400) values that no wallet could show. Chosen: a pass is looked at when it is issued and when it is changed, never
 * because its template was: then wallets leave out what does not fit.
 */
export function requireFit(content: PassContent, row: PassRow): void {
  const misfit = misfitOf(fillTemplate(content, row))
  if (misfit === null) return
  throw new Refusal('parameter_invalid', {
    param: 'values',
    message: misfit.sentence + ' (' + misfit.at + ' of the template)',
  })
}
