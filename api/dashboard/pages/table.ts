// Every page and every form of the dashboard, in the order of the menu.
import type { ActionDefinition, FileDefinition, PageDefinition } from '../page.ts'
import { alert, alerts } from './alerts.ts'
import { apiErrors } from './api-errors.ts'
import { askBacktest, backtest } from './backtests.ts'
import { billing, billingMoves } from './billing.ts'
import { cardNumber, cardSecretMoves } from './card-secrets.ts'
import { cardholder, cardholderMoves, cardholders, newCardholder } from './cardholders.ts'
import { card, cardMoves, cards } from './cards.ts'
import { certification, receiverMoves } from './certifications.ts'
import { editControl, makeControl, newControl, saveControl } from './control-editor.ts'
import { control, controlMoves, controls } from './controls.ts'
import {
  countAgain,
  deliveries,
  delivery,
  replayChosen,
  replayOne,
  sendAgain,
} from './deliveries.ts'
import { dispute, disputeMoves, disputes } from './disputes.ts'
import { event, events } from './events.ts'
import { apply, goingLive } from './going-live.ts'
import { invitation, invitationMoves, invitations, newInvitation } from './invitations.ts'
import { key, keyMoves, keys, makeKey, newKey } from './keys.ts'
import { live } from './live.ts'
import { overview } from './overview.ts'
import { imageMoves, images, picture } from './pass-images.ts'
import { pass, passes, passMoves, scans, template, templates } from './passes.ts'
import { paymentAccount, paymentAccountMoves, paymentAccounts } from './payment-accounts.ts'
import { payment, paymentMoves, payments, settlement, settlements } from './payments.ts'
import { people, person, personMoves } from './people.ts'
import { preview } from './preview.ts'
import { makeProgram, newProgram, program, programs } from './programs.ts'
import { sandbox, sandboxMoves } from './sandbox.ts'
import { makeScanner, newScanner, scanners } from './scanners.ts'
import { search } from './search.ts'
import { account, auditLog, connection, connections, settingMoves } from './settings.ts'
import {
  newSettlementAccount,
  settlementAccount,
  settlementAccountMoves,
  settlementAccounts,
} from './settlement-accounts.ts'
import { acknowledgeOpen, standIn } from './stand-in.ts'
import { editTemplate, newTemplate, templateMoves, templatePreviews } from './template-editor.ts'
import { transaction, tryAgain } from './transaction.ts'
import { declines, transactions } from './transactions.ts'
import { endpoint, endpointMoves, makeEndpoint, newEndpoint, webhooks } from './webhooks.ts'

export const PAGES: readonly PageDefinition[] = [
  ...[overview, live, transactions, transaction, declines, standIn],
  ...[cards, card, cardholders, newCardholder, cardholder, alerts, alert],
  ...[controls, newControl, control, editControl, backtest, disputes, dispute],
  ...[
    programs,
    newProgram,
    program,
    passes,
    pass,
    templates,
    newTemplate,
    template,
    editTemplate,
    images,
    scans,
    scanners,
    newScanner,
  ],
  ...[
    payments,
    payment,
    paymentAccounts,
    paymentAccount,
    settlements,
    settlement,
    settlementAccounts,
    newSettlementAccount,
    settlementAccount,
  ],
  ...[
    keys,
    newKey,
    key,
    webhooks,
    newEndpoint,
    endpoint,
    certification,
    deliveries,
    delivery,
    events,
    event,
  ],
  ...[apiErrors, connections, connection, billing, auditLog, sandbox, account, search],
  ...[people, person, invitations, newInvitation, invitation, goingLive],
]

export const FILES: readonly FileDefinition[] = [preview, ...templatePreviews, picture, cardNumber]

export const ACTIONS: readonly ActionDefinition[] = [
  ...[
    tryAgain,
    ...cardMoves,
    ...cardSecretMoves,
    ...cardholderMoves,
    ...controlMoves,
    makeControl,
    saveControl,
  ],
  ...[askBacktest, acknowledgeOpen],
  ...[...disputeMoves, makeProgram, ...passMoves, makeScanner, ...templateMoves, ...imageMoves],
  ...[...paymentMoves, ...paymentAccountMoves, ...settlementAccountMoves],
  ...[makeKey, ...keyMoves, makeEndpoint, ...endpointMoves, ...receiverMoves],
  ...[countAgain, sendAgain, replayOne, replayChosen, ...settingMoves, ...sandboxMoves],
  ...[...personMoves, ...invitationMoves, apply, ...billingMoves],
]
