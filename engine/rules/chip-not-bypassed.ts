// A chip card read by its stripe, the typical use of a copied card, is declined if a control says
// so.
import { RULE_CATALOG } from '../../shared/rule-catalog.ts'
import type { ControlConfig } from '../../shared/wire/config-records.ts'
import type { ControlRule } from './control-rule.ts'

const { number: NUMBER, version: VERSION } = RULE_CATALOG.chip_not_bypassed

export const chipNotBypassed: ControlRule<ControlConfig['fallback']> = {
  id: 'chip_not_bypassed',
  asks: (control) => control.fallback,
  rowOf: ({ message }, { scope }, asker) => [
    NUMBER,
    VERSION,
    0,
    scope,
    asker,
    message.fallbackFromChip,
  ],
  decide: (row) => (row[5] === false ? null : 'insecure_entry_method'),
}
