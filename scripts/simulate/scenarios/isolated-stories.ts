// Every story that brings an engine of its own.
import type { EngineStory } from '../scenario.ts'
import { ISOLATED_CALENDAR } from './isolated-calendar.ts'
import { ISOLATED_CONTROLS } from './isolated-controls.ts'
import { OWN_CURRENCIES } from './isolated-currencies.ts'
import { ISOLATED_EXPIRY } from './isolated-expiry.ts'
import { ISOLATED_LIMITS } from './isolated-limits.ts'
import { ISOLATED_REQUESTS } from './isolated-requests.ts'
import { OWN_STAND_IN } from './isolated-stand-in.ts'
import { ISOLATED_STAYS } from './isolated-stays.ts'

export const ISOLATED_STORIES: readonly EngineStory[] = [
  ...ISOLATED_LIMITS,
  ...ISOLATED_STAYS,
  ...ISOLATED_EXPIRY,
  ...ISOLATED_REQUESTS,
  ...OWN_CURRENCIES,
  ...ISOLATED_CALENDAR,
  ...ISOLATED_CONTROLS,
  ...OWN_STAND_IN,
]
