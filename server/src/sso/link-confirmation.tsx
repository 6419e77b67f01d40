import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { createCsrfToken } from '../http/request/csrf.ts'
import type { PageInput, PageResult } from '../http/routing/define-route.ts'
import { t } from '../languages/translate.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { Form } from '../ui/form.tsx'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { rich } from '../ui/rich-text.ts'
import type { LinkProposal } from './linking.ts'

/**
 * Confirmation of a link that an application started with an access token. The token may be stolen, and the thief may
 * have authenticated at the provider with their own account. So the user must confirm what will be linked.
 */

const SEAL = 'sso-proposal'
const MAX_AGE_MS = 10 * 60_000

interface SealedProposal {
  proposal: LinkProposal
  at: number
}

export function showLinkConfirmation(
  ctx: Ctx,
  input: PageInput,
  provider: SsoProvider,
  proposal: LinkProposal,
): PageResult {
  const sealed: SealedProposal = { proposal, at: ctx.now().getTime() }
  return {
    // The form redirects to the return URL of the application.
    formTargets: [new URL(proposal.returnTo, ctx.config.baseUrl).origin].filter((origin) => origin !== 'null'),
    html: render(
      <ConfirmLinkPage
        action={`/sso/${provider.name.toLowerCase()}/link`}
        csrf={createCsrfToken(ctx, input.request, input.reply)}
        sealed={sealText(ctx.keys, SEAL, JSON.stringify(sealed))}
        label={provider.label}
        account={proposal.identity.email ?? proposal.identity.displayName ?? proposal.identity.subject}
      />,
    ),
  }
}

export function readProposal(ctx: Ctx, provider: SsoProvider, text: string | undefined): LinkProposal {
  const unsealed = unsealText(ctx.keys, SEAL, text)
  const sealed = unsealed === undefined ? undefined : (JSON.parse(unsealed) as SealedProposal)
  const isValid = sealed?.proposal.provider === provider.name && ctx.now().getTime() < sealed.at + MAX_AGE_MS
  if (isValid) return sealed.proposal
  throw new AppError('INVALID_REQUEST', { message: t('This took too long. Start again.') })
}

interface ConfirmLinkPageProps {
  action: string
  csrf: string
  sealed: string
  label: string
  account: string
}

const ConfirmLinkPage = ({ action, csrf, sealed, label, account }: ConfirmLinkPageProps) => (
  <Layout title={t('Link an account')}>
    <h1>{t('Link this account?')}</h1>
    <p>
      {rich('Whoever signs in to {provider} as <b>{account}</b> will be able to sign in to your account here.', {
        provider: label,
        account,
        b: (text) => <strong>{text}</strong>,
      })}
    </p>
    <Form action={action} csrf={csrf}>
      <input type="hidden" name="proposal" value={sealed} />
      <button type="submit">{t('Link it')}</button>
    </Form>
    <p class="links">
      <a href="/account">{t('No, leave it')}</a>
    </p>
  </Layout>
)
