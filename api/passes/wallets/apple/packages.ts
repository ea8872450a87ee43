// Signed passes in their present state. A built package is kept while the pass is unchanged and the
// cache has space.
import type { EpochMs } from '../../../../shared/clock.ts'
import type { PassKeys } from '../../../database/derivation.ts'
import { findPictures, type PictureRow } from '../../images/index.ts'
import { type OwnedPass, passBySerial } from '../../passes/index.ts'
import { renderPass } from '../../templates/index.ts'
import { turnOf } from '../fair-queue.ts'
import { openKept } from '../kept.ts'
import { translationsOf } from '../model/translations.ts'
import type { WalletServices } from '../services.ts'
import type { BuildRequest, PackageImage } from './package.ts'
import { applePassFile, type PassIssuer } from './pass-file.ts'

/** Chosen: a few hundred passes with pictures; a fan-out has more passes fetched anyway. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024

export interface ApplePackage {
  bytes: Buffer
  /** Installation time of the last change of shown content. */
  changedAt: EpochMs
  revoked: boolean
}

export interface ApplePackages {
  /** Returns null if the pass does not exist. */
  find(passId: string, now: EpochMs): Promise<ApplePackage | null>
}

export type PackageWorld = Pick<WalletServices, 'sql' | 'walletThreads'> & {
  issuer: PassIssuer
  keys(): Promise<PassKeys>
}

type Shown = NonNullable<Awaited<ReturnType<typeof passBySerial>>>

export function openApplePackages(world: PackageWorld): ApplePackages {
  const kept = openKept<Buffer>(KEPT_BYTES_MAX, ({ length }) => length)
  return {
    async find(passId, now) {
      const pass = await passBySerial(world.sql, passId)
      if (pass === null) return null
      const version = [pass.status, pass.templateVersion, pass.changedAt, pass.redeemedAt].join(' ')
      return {
        bytes: await kept.get(passId, version, () => build(world, pass, now)),
        changedAt: pass.changedAt,
        revoked: pass.status === 'revoked',
      }
    },
  }
}

async function build(world: PackageWorld, pass: Shown, now: EpochMs): Promise<Buffer> {
  const { content } = pass
  const imageIds = Object.values(content.images).filter((id) => id !== null)
  const pictures = await findPictures(world.sql, pass, imageIds)
  const facts = {
    id: pass.id,
    authenticationToken: (await world.keys()).authenticationToken(pass.id),
    voided: isSpent(pass),
  }
  const request: BuildRequest = {
    pass: applePassFile(content, renderPass(content, pass), facts, world.issuer),
    localizations: translationsOf(content, pass),
    images: imagesOf(pictures),
    signedAt: now,
  }
  const built = world.walletThreads.run(turnOf(pass), { kind: 'package', ...request })
  return Buffer.from(await built)
}

/** Chosen: an invalid pass looks invalid. */
function isSpent({ status, redeemedAt }: OwnedPass): boolean {
  return status === 'revoked' || redeemedAt !== null
}

function imagesOf(pictures: readonly PictureRow[]): PackageImage[] {
  const images: PackageImage[] = []
  for (const [role, rows] of Map.groupBy(pictures, (picture) => picture.role)) {
    const [one, two, three] = rows
    if (one === undefined || two === undefined || three === undefined) continue
    images.push({ role, scales: { 1: one.png, 2: two.png, 3: three.png } })
  }
  return images
}
