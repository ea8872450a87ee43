// A version of a template in Google's form: a class of generic passes, with the common content of
// its passes and the callback address for saves and deletions. Pure.
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import { type GoogleIssuer, googleId } from './account.ts'
import { localizer } from './localized.ts'
import { classModules, frontRows } from './text-modules.ts'

/** Path for Google's calls, below the public address. */
export const CALLBACK_PATH = '/wallets/google/callbacks'

/** Values of no pass: content common to every pass contains none. */
const NO_PASS = { holderName: null, values: {}, payload: '', expiresAt: null }

/**
 * Chosen: anyone with the link may get the pass, as with Apple's wallet, so a pass may have several
 * holders. In Google's generic passes the objects have the colours and pictures.
 */
export function passClass(
  content: PassContent,
  { templateId, publicUrl }: { templateId: string; publicUrl: string },
  issuer: Pick<GoogleIssuer, 'issuerId'>,
): { id: string; [field: string]: unknown } {
  const { nfc, locations } = content
  const rows = frontRows(content)
  const modules = classModules(content, localizer(content, NO_PASS))
  return {
    id: googleId(issuer, templateId),
    multipleDevicesAndHoldersAllowedStatus: 'MULTIPLE_HOLDERS',
    callbackOptions: { url: publicUrl + CALLBACK_PATH },
    ...(rows.length > 0 && {
      classTemplateInfo: { cardTemplateOverride: { cardRowTemplateInfos: rows } },
    }),
    ...(modules.length > 0 && { textModulesData: modules }),
    ...(nfc !== null && { enableSmartTap: true, redemptionIssuers: [issuer.issuerId] }),
    ...(locations.length > 0 && {
      merchantLocations: locations.map(({ latitude, longitude }) => ({ latitude, longitude })),
    }),
  }
}
