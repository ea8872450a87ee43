// A version of a template as Google keeps it: a class of generic passes, which says what all of its passes have in common and whom
// Google calls when one of them is saved or deleted. Pure.
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import { type GoogleIssuer, googleId } from './account.ts'
import { localizer } from './localized.ts'
import { classModules, frontRows } from './text-modules.ts'

/** Where Google calls us, below the public address. */
export const CALLBACK_PATH = '/wallets/google/callbacks'

/** Values of no pass: what every pass says alike has none in it. */
const NO_PASS = { holderName: null, values: {}, payload: '', expiresAt: null }

/**
 * Chosen: whoever has the link may have the pass, as with Apple's wallet, so that a pass may have several holders. The colours and
 * pictures of Google's generic passes stand on their objects.
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
