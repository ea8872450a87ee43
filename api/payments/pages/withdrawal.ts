// A withdrawal on the page of its holder.
import { html } from '../../../shared/html.ts'
import {
  approveWithdrawal,
  denyWithdrawal,
  type HostedWithdrawal,
  type HostedWithdrawalPorts,
  openWithdrawal,
} from '../payment-withdrawals/index.ts'
import { type Approvable, type ApprovalPrompt, dollars, moment, type OpenLink } from './approval.ts'
import type { End } from './hosted-page.ts'

const APPROVED: End = {
  status: 200,
  title: 'Approved',
  mark: ['good', '✓'],
  text: 'You approved this withdrawal. The money is on its way; you can close this page.',
}
const ENDED: End = {
  status: 410,
  title: 'Not open',
  mark: ['', '!'],
  text: 'This withdrawal was denied, canceled or is too late. No money leaves your account by it.',
}

export function withdrawalLinks(ports: HostedWithdrawalPorts): OpenLink {
  return async (call): Promise<Approvable | null> => {
    const hosted = await openWithdrawal(ports.sql, call)
    if (hosted === null) return null
    return {
      prompt: hosted.open ? promptOf(hosted) : null,
      end: hosted.withdrawal.confirmedAt === null ? ENDED : APPROVED,
      approve: (assertion) => approveWithdrawal(ports, call, assertion),
      deny: () => denyWithdrawal(ports, call),
    }
  }
}

function promptOf({ withdrawal, tenantName, credentialId }: HostedWithdrawal): ApprovalPrompt {
  const { environment, hash, amountCents, recipient, confirmationExpiresAt } = withdrawal
  return {
    ...{ tenantName, environment, credentialId, challenge: hash },
    title: 'Withdraw this sum?',
    sum: dollars(amountCents),
    terms: [
      ['To address', html`<code>${recipient}</code>`],
      ['Decide by', moment(confirmationExpiresAt)],
    ],
    note: 'The money leaves your account for this address and cannot be called back. If you did not expect it, deny it.',
  }
}
