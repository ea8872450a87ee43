// A telephone with passkeys, without a browser: it enrols on hosted pages, and answers the next
// payment, mandate or withdrawal of a passkey as it was told to.
import { existsSync, readFileSync } from 'node:fs'
import { writePrivateFile } from '../start/sandbox-secrets.ts'
import { approveOn, credentialOn, denyOn, enrolOn } from './pages.ts'
import { createPasskey, type KeptPasskey } from './passkey.ts'

export type HolderAnswer = 'approve' | 'deny'

export interface Phone {
  /** False where the page refuses the passkey. */
  enrol(url: string): Promise<boolean>
  /** False where the telephone has no such passkey. */
  answerNext(credentialId: string, answer: HolderAnswer): boolean
  /**
   * Opens the link that waits for a holder and answers, if its passkey was told how. Rejects where
   * the page does not take the answer.
   */
  receive(url: string): Promise<void>
}

interface Known extends KeptPasskey {
  origin: string
  next: HolderAnswer | null
}

/** The passkeys stay in the file, readable by its owner alone. */
export function openPhone(path: string): Phone {
  const known = new Map<string, Known>(
    existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [],
  )
  const save = (): void => writePrivateFile(path, JSON.stringify([...known]) + '\n')
  return {
    async enrol(url) {
      const { origin } = new URL(url)
      const passkey = createPasskey(origin)
      const kept = passkey.keep()
      const page = await enrolOn(url, passkey)
      if (page.status !== 200) return false
      known.set(kept.id, { ...kept, origin, next: null })
      save()
      return true
    },
    answerNext(credentialId, answer) {
      const passkey = known.get(credentialId)
      if (passkey === undefined) return false
      passkey.next = answer
      save()
      return true
    },
    async receive(url) {
      const credentialId = await credentialOn(url)
      const passkey = known.get(credentialId)
      const answer = passkey?.next ?? null
      if (passkey === undefined || answer === null) return
      passkey.next = null
      save()
      const page =
        answer === 'deny'
          ? await denyOn(url)
          : await approveOn(url, createPasskey(passkey.origin, passkey))
      if (page.status !== 200) throw new Error('the page answered ' + page.status)
    },
  }
}
