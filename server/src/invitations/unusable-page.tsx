import type { AppError, ErrorCode } from '../errors.ts'
import { Layout } from '../ui/layout.tsx'

type UnusableCode = Extract<
  ErrorCode,
  | 'INVITATION_NOT_FOUND'
  | 'INVITATION_EXPIRED'
  | 'INVITATION_REVOKED'
  | 'INVITATION_ALREADY_ACCEPTED'
  | 'TENANT_SUSPENDED'
>

const TEXTS: Record<UnusableCode, { heading: string; advice: string }> = {
  INVITATION_NOT_FOUND: {
    heading: 'There is no such invitation',
    advice: 'It may have been sent again since: use the link in the latest mail.',
  },
  INVITATION_EXPIRED: {
    heading: 'This invitation has expired',
    advice: 'Ask whoever invited you for a new one.',
  },
  INVITATION_REVOKED: {
    heading: 'This invitation was withdrawn',
    advice: 'If you think that this is a mistake, ask whoever invited you.',
  },
  INVITATION_ALREADY_ACCEPTED: {
    heading: 'This invitation has been accepted',
    advice: 'There is nothing left to do here.',
  },
  TENANT_SUSPENDED: {
    heading: 'This organization is suspended',
    advice: 'Nobody can join it for now. If that ends before the invitation does, this link works again.',
  },
}

/** Whether the error means that the invitation cannot be accepted. */
export const isUnusable = (error: AppError): error is AppError & { code: UnusableCode } =>
  Object.hasOwn(TEXTS, error.code)

export const UnusablePage = ({ code, isSignedIn }: { code: UnusableCode; isSignedIn: boolean }) => {
  const { heading, advice } = TEXTS[code]
  return (
    <Layout title={heading}>
      <h1>{heading}</h1>
      <p>{advice}</p>
      <a class="button second" href={isSignedIn ? '/account' : '/login'}>
        {isSignedIn ? 'Go to your account' : 'Sign in'}
      </a>
    </Layout>
  )
}
