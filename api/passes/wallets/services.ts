// The parts of the process that wallets and the page of a pass use.
import type { HttpServices } from '../../http/services.ts'
import type { AppleIssuer } from './apple/issuer.ts'
import type { GoogleIssuer } from './google/account.ts'
import type { WalletThreads } from './threads.ts'

/** Computes for wallets outside the server's thread. */
export interface ThreadsPort {
  /** Threads that draw barcodes, read images and sign passes. */
  walletThreads: WalletThreads
}

export interface WalletServices
  extends ThreadsPort,
    Pick<HttpServices, 'sql' | 'unseal' | 'publicUrl' | 'docsUrl' | 'clock' | 'log'> {
  /** The issuer that signs passes for Apple's wallet; null: no Apple passes. */
  apple: AppleIssuer | null
  /** The issuer for Google's wallet; null: no passes go to Google. */
  google: GoogleIssuer | null
}
