import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { GRACE_DAYS } from '../../users/deletion.ts'
import { listOwnConsents, type OwnConsent, withdrawConsents } from '../consents/service.ts'
import { AccountFrame, type AccountPageInput, AccountSection, defineAccountPage } from './define-account-page.tsx'

const PATH = '/account/data'

/** What is stored about the person, who may read it, and how to end the account. */
export const dataPages = defineAccountPage({
  path: PATH,
  show,
  submit: async (ctx, input) => {
    await withdrawConsents(ctx, input, input.form.get('withdraw') ?? '')
    return { redirect: PATH }
  },
})

async function show(ctx: Ctx, input: AccountPageInput, problem?: PageProblem) {
  const consents = await listOwnConsents(ctx, input.caller.userId)
  return { html: render(<DataPage consents={consents} csrf={input.csrf} problem={problem} />) }
}

interface DataPageProps {
  consents: OwnConsent[]
  csrf: string
  problem: PageProblem | undefined
}

const DataPage = ({ consents, csrf, problem }: DataPageProps) => (
  <AccountFrame
    title="Data & deletion"
    lead="See who may read your data, download it, or delete your account."
    consolePage="/data"
    problem={problem}
  >
    <AccountSection
      title="Applications with access"
      lead="What you have allowed the applications of others. Withdrawing ends the access of an application in every tenant."
    >
      {consents.length === 0 ? <p>You have given no application access.</p> : <Consents {...{ consents, csrf }} />}
    </AccountSection>
    <AccountSection
      title="Your data"
      lead="Everything that is stored about you, in one JSON file: profile, tenants, sessions, licenses, consents and what happened in your account."
    >
      <a class="button second" href="/api/users/me/export" download>
        Download my data
      </a>
    </AccountSection>
    <AccountSection
      title="Delete your account"
      lead={`You are immediately signed out everywhere and leave every tenant. For ${GRACE_DAYS} days, you can change your mind. Then everything about you is erased.`}
    >
      <a class="button danger" href="/account/delete">
        Delete my account
      </a>
    </AccountSection>
  </AccountFrame>
)

const Consents = ({ consents, csrf }: Pick<DataPageProps, 'consents' | 'csrf'>) => (
  <ul class="rows">
    {consents.map(({ applicationId, applicationName, tenantName, scopes, logoUrl }) => (
      <li key={`${applicationId} ${tenantName}`}>
        <div class="application">
          {logoUrl !== null && <img class="app-logo" src={logoUrl} alt="" width={32} height={32} />}
          <div>
            <span class="subject">{applicationName}</span>
            <span class="hint">{[tenantName, scopes.join(', ')].filter(Boolean).join(' · ')}</span>
          </div>
        </div>
        <Form action={PATH} csrf={csrf}>
          <button type="submit" name="withdraw" value={applicationId} class="second">
            Withdraw
          </button>
        </Form>
      </li>
    ))}
  </ul>
)
