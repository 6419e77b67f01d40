import { NO_TENANT } from '../../applications/consents/consent-body.ts'
import { describeConsent } from '../../applications/consents/scope-texts.ts'
import { type Consent, listConsentsOf } from '../../applications/consents/service.ts'
import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { formatDate, formatTime } from '../../languages/dates.ts'
import { t } from '../../languages/translate.ts'
import { Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { GRACE_DAYS } from '../../users/deletion.ts'
import { withdrawOwnConsents } from '../consents/service.ts'
import { AccountFrame, type AccountPageInput, AccountSection, defineAccountPage } from './define-account-page.tsx'

const PATH = '/account/data'

/** What is stored about the person, who may read it, and how to end the account. */
export const dataPages = defineAccountPage({
  path: PATH,
  show,
  submit: async (ctx, input) => {
    const { form } = input
    await withdrawOwnConsents(ctx, input, { applicationId: form.get('withdraw') ?? '', tenantId: form.get('tenant') })
    return { redirect: PATH }
  },
})

async function show(ctx: Ctx, input: AccountPageInput, problem?: PageProblem) {
  const consents = await listConsentsOf(ctx, input.caller.userId)
  return { html: render(<DataPage consents={consents} csrf={input.csrf} problem={problem} />) }
}

interface DataPageProps {
  consents: Consent[]
  csrf: string
  problem: PageProblem | undefined
}

const DataPage = ({ consents, csrf, problem }: DataPageProps) => (
  <AccountFrame
    title={t('Data & deletion')}
    lead={t('See who may read your data, download it, or delete your account.')}
    consolePage="/data"
    problem={problem}
  >
    <AccountSection
      title={t('Third-party applications')}
      lead={t('Applications that you allowed to use your account. If you withdraw the access, it ends at once.')}
    >
      {consents.length === 0 ? (
        <p>{t('You have given no application access.')}</p>
      ) : (
        <Consents {...{ consents, csrf }} />
      )}
    </AccountSection>
    <AccountSection
      title={t('Your data')}
      lead={t(
        'Everything that is stored about you, in one JSON file: profile, tenants, sessions, licenses, consents and what happened in your account.',
      )}
    >
      <a class="button second" href="/api/users/me/export" download>
        {t('Download my data')}
      </a>
    </AccountSection>
    <AccountSection
      title={t('Delete your account')}
      lead={t(
        'You are immediately signed out everywhere and leave every tenant. For {days, plural, one {# day} other {# days}}, you can change your mind. Then everything about you is erased.',
        { days: GRACE_DAYS },
      )}
    >
      <a class="button danger" href="/account/delete">
        {t('Delete my account')}
      </a>
    </AccountSection>
  </AccountFrame>
)

const Consents = ({ consents, csrf }: Pick<DataPageProps, 'consents' | 'csrf'>) => (
  <ul class="rows">
    {consents.map((consent) => (
      <li key={`${consent.applicationId} ${consent.tenantId}`}>
        <ConsentFacts {...consent} />
        <Form action={PATH} csrf={csrf}>
          <input type="hidden" name="tenant" value={consent.tenantId ?? NO_TENANT} />
          <button
            type="submit"
            name="withdraw"
            value={consent.applicationId}
            class="second"
            aria-label={describeWithdrawal(consent)}
          >
            {t('Withdraw')}
          </button>
        </Form>
      </li>
    ))}
  </ul>
)

const describeWithdrawal = ({ applicationName: application, tenantName: tenant }: Consent): string =>
  tenant === null
    ? t('Withdraw the access of {application}', { application })
    : t('Withdraw the access of {application} in {tenant}', { application, tenant })

const ConsentFacts = ({ applicationName, tenantName, logoUrl, scopes, grantedAt, lastUsedAt }: Consent) => (
  <div class="application">
    {logoUrl !== null && <img class="app-logo" src={logoUrl} alt="" width={32} height={32} />}
    <div>
      <span class="subject">{applicationName}</span>
      <span class="hint">
        {tenantName !== null && `${tenantName} · `}
        {t('Allowed {date}', { date: formatDate(new Date(grantedAt)) })}
      </span>
      <span class="hint">
        {lastUsedAt === null ? t('Not in use') : t('Last used {time}', { time: formatTime(new Date(lastUsedAt)) })}
      </span>
      <ul class="hint">
        {describeConsent(scopes).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  </div>
)
