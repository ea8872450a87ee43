// The legal moves of a pass template. Archived is final. Spec 3.
import type { PassTemplate } from '../../../shared/schemas/pass-template.ts'
import type { Move } from '../../write/move.ts'

export const TEMPLATE_MOVES = {
  archive: { from: ['active'], to: 'archived', event: 'pass_template.archived' },
} as const satisfies Record<string, Move<PassTemplate['status']>>
