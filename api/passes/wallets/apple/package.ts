// A .pkpass: the files of a pass, the manifest with their hashes, and the signature over the
// manifest. Runs in a wallet thread.
import { hash } from 'node:crypto'
import sharp from 'sharp'
import type { EpochMs } from '../../../../shared/clock.ts'
import type { PassImageRole } from '../../../../shared/schemas/pass-content.ts'
import { ROLE_SIZES, SCALES, type Scale } from '../model/image-roles.ts'
import type { ApplePassFile } from './pass-file.ts'
import type { PassSigner } from './signature.ts'
import { passStrings, type Strings } from './strings.ts'
import { type ArchiveFile, zip } from './zip.ts'

export interface PackageImage {
  role: PassImageRole
  scales: { readonly [Factor in Scale]: Uint8Array }
}

export interface BuildRequest {
  pass: ApplePassFile
  /** By language. */
  localizations: { readonly [language: string]: Strings }
  images: readonly PackageImage[]
  signedAt: EpochMs
}

const NO_COLOUR = 'rgb(255, 255, 255)'

/**
 * Returns the archive as sent to a phone. With an RSA signature the same request gives the same
 * bytes.
 */
export async function buildPackage(request: BuildRequest, signer: PassSigner): Promise<Buffer> {
  const { pass, localizations, images, signedAt } = request
  const files: ArchiveFile[] = [{ name: 'pass.json', bytes: Buffer.from(JSON.stringify(pass)) }]
  for (const { role, scales } of await withIcon(images, pass))
    for (const scale of SCALES)
      files.push({ name: imageName(role, scale), bytes: Buffer.from(scales[scale]) })
  for (const [language, strings] of Object.entries(localizations))
    files.push({ name: language + '.lproj/pass.strings', bytes: passStrings(strings) })
  // Apple's format is SHA-1 of each file; the signature over all of them protects the pass.
  const manifest = Object.fromEntries(files.map(({ name, bytes }) => [name, hash('sha1', bytes)]))
  const manifestBytes = Buffer.from(JSON.stringify(manifest))
  return zip([
    ...files,
    { name: 'manifest.json', bytes: manifestBytes },
    { name: 'signature', bytes: signer.sign(manifestBytes, signedAt) },
  ])
}

function imageName(role: PassImageRole, scale: Scale): string {
  return role + (scale === 1 ? '' : '@' + scale + 'x') + '.png'
}

/**
 * Chosen: a wallet refuses a pass without an icon, so a template without an icon gets a square of
 * its own colour.
 */
async function withIcon(
  images: readonly PackageImage[],
  { backgroundColor = NO_COLOUR }: ApplePassFile,
): Promise<readonly PackageImage[]> {
  if (images.some(({ role }) => role === 'icon')) return images
  const { width, height } = ROLE_SIZES.icon
  const square = (scale: Scale): Promise<Buffer> =>
    sharp({
      create: {
        width: width * scale,
        height: height * scale,
        channels: 3,
        background: backgroundColor,
      },
    })
      .png()
      .toBuffer()
  const scales = { 1: await square(1), 2: await square(2), 3: await square(3) }
  return [{ role: 'icon', scales }, ...images]
}
