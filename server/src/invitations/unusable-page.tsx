import type { AppError, ErrorCode } from '../errors.ts'
import { t, translatable } from '../languages/translate.ts'
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
    heading: translatable('There is no such invitation'),
    advice: translatable('It may have been sent again since: use the link in the latest mail.'),
  },
  INVITATION_EXPIRED: {
    heading: translatable('This invitation has expired'),
    advice: translatable('Ask whoever invited you for a new one.'),
  },
  INVITATION_REVOKED: {
    heading: translatable('This invitation was withdrawn'),
    advice: translatable('If you think that this is a mistake, ask whoever invited you.'),
  },
  INVITATION_ALREADY_ACCEPTED: {
    heading: translatable('This invitation has been accepted'),
    advice: translatable('There is nothing left to do here.'),
  },
  TENANT_SUSPENDED: {
    heading: translatable('This organization is suspended'),
    advice: translatable('Nobody can join it for now. If that ends before the invitation does, this link works again.'),
  },
}

/** Whether the error means that the invitation cannot be accepted. */
export const isUnusable = (error: AppError): error is AppError & { code: UnusableCode } =>
  Object.hasOwn(TEXTS, error.code)

export const UnusablePage = ({ code, isSignedIn }: { code: UnusableCode; isSignedIn: boolean }) => {
  const { heading, advice } = TEXTS[code]
  return (
    <Layout title={t(heading)}>
      <h1>{t(heading)}</h1>
      <p>{t(advice)}</p>
      <a class="button second" href={isSignedIn ? '/account' : '/login'}>
        {isSignedIn ? t('Go to your account') : t('Sign in')}
      </a>
    </Layout>
  )
}
