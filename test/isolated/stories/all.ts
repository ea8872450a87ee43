// Every isolated story.
import type { IsolatedStory } from '../stage.ts'
import { ISOLATED_CALENDAR } from './calendar.ts'
import { ISOLATED_CONTROLS } from './controls.ts'
import { OWN_CURRENCIES } from './currencies.ts'
import { ISOLATED_EXPIRY } from './expiry.ts'
import { ISOLATED_LIMITS } from './limits.ts'
import { ISOLATED_REQUESTS } from './requests.ts'
import { OWN_STAND_IN } from './stand-in.ts'
import { ISOLATED_STAYS } from './stays.ts'

export const ISOLATED_STORIES: readonly IsolatedStory[] = [
  ...ISOLATED_LIMITS,
  ...ISOLATED_STAYS,
  ...ISOLATED_EXPIRY,
  ...ISOLATED_REQUESTS,
  ...OWN_CURRENCIES,
  ...ISOLATED_CALENDAR,
  ...ISOLATED_CONTROLS,
  ...OWN_STAND_IN,
]
