import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { csrfToken } from '../http/csrf.ts'
import type { PageAnswer, PageInput } from '../http/define-route.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { Form } from '../ui/form.tsx'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import type { Proposal } from './linking.ts'

/**
 * What an application has begun for a person, with their token, may have been begun by whoever stole the token, and
 * finished at the provider as somebody else. So the person is shown what would be linked, and asked.
 */

const SEAL = 'sso-proposal'
const GOOD_FOR_MS = 10 * 60_000

interface Sealed {
  proposal: Proposal
  at: number
}

export function askToLink(ctx: Ctx, input: PageInput, provider: SsoProvider, proposal: Proposal): PageAnswer {
  const sealed: Sealed = { proposal, at: ctx.now().getTime() }
  return {
    // The form leads on to wherever the application wants them.
    formTargets: [new URL(proposal.returnTo, ctx.config.baseUrl).origin].filter(
      (origin) => origin !== 'null',
    ),
    html: render(
      <AskPage
        action={`/sso/${provider.name.toLowerCase()}/link`}
        csrf={csrfToken(ctx, input.request, input.reply)}
        sealed={sealText(ctx.keys, SEAL, JSON.stringify(sealed))}
        label={provider.label}
        account={proposal.identity.email ?? proposal.identity.displayName ?? proposal.identity.subject}
      />,
    ),
  }
}

/** What the form brings back. */
export function openProposal(ctx: Ctx, provider: SsoProvider, text: string | undefined): Proposal {
  const opened = unsealText(ctx.keys, SEAL, text)
  const sealed = opened === undefined ? undefined : (JSON.parse(opened) as Sealed)
  const isGood = sealed?.proposal.provider === provider.name && ctx.now().getTime() < sealed.at + GOOD_FOR_MS
  if (isGood) return sealed.proposal
  throw new AppError('INVALID_REQUEST', { message: 'This took too long. Start again.' })
}

interface AskPageProps {
  action: string
  csrf: string
  sealed: string
  label: string
  account: string
}

const AskPage = ({ action, csrf, sealed, label, account }: AskPageProps) => (
  <Layout title="Link an account">
    <h1>Link this account?</h1>
    <p>
      Whoever signs in to {label} as <strong>{account}</strong> will be able to sign in to your account here.
    </p>
    <Form action={action} csrf={csrf}>
      <input type="hidden" name="proposal" value={sealed} />
      <button type="submit">Link it</button>
    </Form>
    <p class="links">
      <a href="/account">No, leave it</a>
    </p>
  </Layout>
)
