// Every route of the API: the tables of the modules, in the order of the modules.
import { accountRoutes } from './resources/account/index.ts'
import { apiKeyRoutes } from './resources/api-keys/index.ts'
import { auditLogRoutes } from './resources/audit-log/index.ts'
import { authenticationRoutes } from './resources/authentications/index.ts'
import { cardTokenRoutes } from './resources/card-tokens/index.ts'
import { cardholderRoutes } from './resources/cardholders/index.ts'
import { cardRoutes } from './resources/cards/index.ts'
import { clearingFileRoutes } from './resources/clearing-files/index.ts'
import { disputeRoutes } from './resources/disputes/index.ts'
import { eventRoutes } from './resources/events/index.ts'
import { factorRoutes } from './resources/factors/index.ts'
import { operatorRoutes } from './resources/operators/index.ts'
import { passImageRoutes } from './resources/pass-images/index.ts'
import { passScanRoutes } from './resources/pass-scans/index.ts'
import { passTemplateRoutes } from './resources/pass-templates/index.ts'
import { passRoutes } from './resources/passes/index.ts'
import { programRoutes } from './resources/programs/index.ts'
import { sandboxRoutes } from './resources/sandbox/index.ts'
import { scannerRoutes } from './resources/scanners/index.ts'
import { screeningRoutes } from './resources/screening/index.ts'
import { spendingControlRoutes } from './resources/spending-controls/index.ts'
import { transactionRoutes } from './resources/transactions/index.ts'
import { userRoutes } from './resources/users/index.ts'
import { walletTokenRoutes } from './resources/wallet-tokens/index.ts'
import { deliveryRoutes, recoveryRoutes } from './resources/webhook-deliveries/index.ts'
import { endpointRoutes } from './resources/webhook-endpoints/index.ts'
import type { Route } from './route.ts'

export const ROUTES: readonly Route[] = [
  ...auditLogRoutes,
  ...eventRoutes,
  ...programRoutes,
  ...apiKeyRoutes,
  ...userRoutes,
  ...factorRoutes,
  ...accountRoutes,
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
  ...walletTokenRoutes,
  ...cardTokenRoutes,
  ...cardRoutes,
  ...authenticationRoutes,
  ...transactionRoutes,
  ...disputeRoutes,
  ...clearingFileRoutes,
  ...sandboxRoutes,
]
