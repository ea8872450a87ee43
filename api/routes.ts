// Every route of the API: the tables of the modules, in the order of the modules.

import { factorRoutes } from './access/factors/index.ts'
import { type InvitationPorts, invitationRoutes } from './access/invitations/index.ts'
import { apiKeyRoutes } from './access/keys/index.ts'
import { memberRoutes } from './access/members/index.ts'
import { type ClientPort, oauthRoutes } from './access/oauth/index.ts'
import { userRoutes } from './access/people/index.ts'
import type { CallbackServices } from './billing/collection/index.ts'
import { relinkRoutes } from './billing/collection/index.ts'
import { billingExceptionRoutes } from './billing/exceptions/index.ts'
import { invoiceRoutes } from './billing/invoices/index.ts'
import { noticeRoutes } from './billing/notices/index.ts'
import { paymentMethodRoutes } from './billing/payment-methods/index.ts'
import { portalSessionRoutes } from './billing/portal-sessions/index.ts'
import type { ProcessorPort } from './billing/processor/index.ts'
import { quoteRoutes } from './billing/quotes/index.ts'
import type { BillingPort } from './billing/require-billing.ts'
import { subscriptionRoutes } from './billing/subscriptions/index.ts'
import type { Route } from './http/route.ts'
import type { HttpServices } from './http/services.ts'
import { authenticationRoutes } from './issuing/authentications/index.ts'
import { backtestRoutes } from './issuing/backtests/index.ts'
import { cardTokenRoutes } from './issuing/card-tokens/index.ts'
import {
  cardholderRoutes,
  type IdentityServices,
  type ScreeningPort,
} from './issuing/cardholders/index.ts'
import { type CardPorts, cardRoutes } from './issuing/cards/index.ts'
import { clearingFileRoutes } from './issuing/clearing/index.ts'
import { spendingControlRoutes } from './issuing/controls/index.ts'
import { disputeRoutes } from './issuing/disputes/index.ts'
import { type FeedPort, feedRoutes } from './issuing/feed/index.ts'
import { fxRateRoutes } from './issuing/fx-rates/index.ts'
import { programRoutes } from './issuing/programs/index.ts'
import { screeningRoutes } from './issuing/screening/index.ts'
import { transactionRoutes } from './issuing/transactions/index.ts'
import { walletTokenRoutes } from './issuing/wallet-tokens/index.ts'
import { passImageRoutes } from './passes/images/index.ts'
import { passRoutes } from './passes/passes/index.ts'
import { scannerRoutes } from './passes/scanners/index.ts'
import { passScanRoutes } from './passes/scans/index.ts'
import { passTemplateRoutes } from './passes/templates/index.ts'
import type { WalletServices } from './passes/wallets/services.ts'
import type { HostedPagePorts } from './payments/pages/index.ts'
import { paymentAccountRoutes } from './payments/payment-accounts/index.ts'
import { paymentMandateRoutes } from './payments/payment-mandates/index.ts'
import {
  paymentWithdrawalRoutes,
  type WithdrawalRoutePorts,
} from './payments/payment-withdrawals/index.ts'
import { type PaymentRoutePorts, paymentRoutes } from './payments/payments/index.ts'
import { settlementAccountRoutes } from './payments/settlement-accounts/index.ts'
import { settlementBatchRoutes } from './payments/settlement-batches/index.ts'
import { type HolderPort, simulationRoutes } from './payments/simulation/index.ts'
import { accountRoutes } from './platform/account/index.ts'
import { auditLogRoutes } from './platform/audit/index.ts'
import { kybRoutes } from './platform/kyb/index.ts'
import { operatorApprovalRoutes } from './platform/operator-approvals/index.ts'
import { type OperatorPorts, operatorRoutes } from './platform/operators/index.ts'
import { refusedCallRoutes } from './platform/refused-calls/index.ts'
import { type NetworkPort, sandboxRoutes } from './platform/sandbox/index.ts'
import { deliveryRoutes, recoveryRoutes } from './webhooks/deliveries/index.ts'
import { type EndpointPorts, endpointRoutes } from './webhooks/endpoints/index.ts'
import { eventRoutes } from './webhooks/events/index.ts'

/**
 * The parts of the process that requests use: those of the server, and the ports that resources
 * ask for.
 */
export interface Services
  extends HttpServices,
    WalletServices,
    IdentityServices,
    ScreeningPort,
    CardPorts,
    EndpointPorts,
    NetworkPort,
    Omit<HostedPagePorts, 'sql'>,
    PaymentRoutePorts,
    WithdrawalRoutePorts,
    BillingPort,
    ProcessorPort,
    CallbackServices,
    HolderPort,
    InvitationPorts,
    OperatorPorts,
    ClientPort,
    FeedPort {}

export const ROUTES: readonly Route<Services>[] = [
  ...auditLogRoutes,
  ...eventRoutes,
  ...programRoutes,
  ...apiKeyRoutes,
  ...userRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...oauthRoutes,
  ...factorRoutes,
  ...accountRoutes,
  ...kybRoutes,
  ...refusedCallRoutes,
  ...operatorApprovalRoutes,
  ...operatorRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...recoveryRoutes,
  ...passImageRoutes,
  ...passTemplateRoutes,
  ...passRoutes,
  ...scannerRoutes,
  ...passScanRoutes,
  ...screeningRoutes,
  ...cardholderRoutes,
  ...spendingControlRoutes,
  ...backtestRoutes,
  ...walletTokenRoutes,
  ...cardTokenRoutes,
  ...cardRoutes,
  ...authenticationRoutes,
  ...transactionRoutes,
  ...feedRoutes,
  ...disputeRoutes,
  ...clearingFileRoutes,
  ...fxRateRoutes,
  ...settlementAccountRoutes,
  ...settlementBatchRoutes,
  ...paymentAccountRoutes,
  ...paymentMandateRoutes,
  ...paymentWithdrawalRoutes,
  ...paymentRoutes,
  ...simulationRoutes,
  ...quoteRoutes,
  ...paymentMethodRoutes,
  ...portalSessionRoutes,
  ...noticeRoutes,
  ...billingExceptionRoutes,
  ...invoiceRoutes,
  ...relinkRoutes,
  ...subscriptionRoutes,
  ...sandboxRoutes,
]
