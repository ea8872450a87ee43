// Every story that brings an engine of its own.
import type { EngineStory } from '../scenario.ts'
import { OWN_CALENDAR } from './own-calendar.ts'
import { OWN_CONTROLS } from './own-controls.ts'
import { OWN_CURRENCIES } from './own-currencies.ts'
import { OWN_EXPIRY } from './own-expiry.ts'
import { OWN_LIMITS } from './own-limits.ts'
import { OWN_QUESTIONS } from './own-questions.ts'
import { OWN_STAND_IN } from './own-stand-in.ts'
import { OWN_STAYS } from './own-stays.ts'

export const OWN_STORIES: readonly EngineStory[] = [
  ...OWN_LIMITS,
  ...OWN_STAYS,
  ...OWN_EXPIRY,
  ...OWN_QUESTIONS,
  ...OWN_CURRENCIES,
  ...OWN_CALENDAR,
  ...OWN_CONTROLS,
  ...OWN_STAND_IN,
]
