// Merchant categories as people read them: the code, and its name where it has one.
import { categoryOf } from '../../../shared/mcc-categories.ts'
import { wordsOf } from './tag.ts'

/** `5942 book stores`. */
export function categoryText(mcc: string): string {
  const name = categoryOf(mcc)
  return name === null ? mcc : mcc + ' ' + wordsOf(name)
}
