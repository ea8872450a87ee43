// Plays isolated stories by name and prints a report like the simulator's; the mutants run it from
// a copy of the sources.
import { Findings } from '../../scripts/simulate/findings.ts'
import { messageOf } from '../../scripts/simulate/stage.ts'
import type { IsolatedStory } from './stage.ts'
import { ISOLATED_STORIES } from './stories/all.ts'

/** Plays one story; returns a sentence for each difference from its expectation. */
export async function played(story: IsolatedStory): Promise<readonly string[]> {
  const findings = new Findings()
  try {
    await story.playAlone(findings)
  } catch (error) {
    findings.note('the story ended early: ' + messageOf(error))
  }
  return findings.mismatches
}

if (import.meta.main) {
  const names = process.argv.slice(2)
  const scenarios: { name: string; passed: boolean }[] = []
  for (const story of ISOLATED_STORIES.filter(({ name }) => names.includes(name)))
    scenarios.push({ name: story.name, passed: (await played(story)).length === 0 })
  process.stdout.write(JSON.stringify({ scenarios }) + '\n')
}
