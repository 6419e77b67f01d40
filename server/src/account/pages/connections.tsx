import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { t } from '../../languages/translate.ts'
import { listLinks, unlinkProvider } from '../../sso/links.ts'
import { Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { startLinking } from '../sso/start-linking.ts'
import { AccountFrame, type AccountPageInput, defineAccountPage } from './define-account-page.tsx'

const PATH = '/account/connections'

export const connectionsPages = defineAccountPage({
  path: PATH,
  show,
  submit: async (ctx, input) => {
    const { caller, request, reply, form } = input
    const userId = caller.userId
    const unlinkedProvider = form.get('unlink')
    if (unlinkedProvider !== undefined) {
      await unlinkProvider(ctx, { userId, provider: unlinkedProvider, request })
      return { redirect: PATH }
    }
    const link = { provider: form.get('link') ?? '', redirectUri: PATH }
    const url = await startLinking(ctx, input, { link, password: undefined })
    // Not a redirect: browsers apply the form-action policy of the page to it, which does not list the provider.
    reply.header('Refresh', `0; url=${url}`)
    return { html: render(<RedirectPage url={url} />) }
  },
})

async function show(ctx: Ctx, input: AccountPageInput, problem?: PageProblem) {
  const links = await listLinks(ctx, input.caller.userId)
  const byProvider = new Map(links.map((link) => [link.provider, link]))
  const configured = ctx.config.sso.map(({ name, label }) => ({ name, label }))
  // A provider that is no longer configured can still be unlinked.
  const removed = links
    .filter(({ provider }) => !configured.some(({ name }) => name === provider))
    .map(({ provider }) => ({ name: provider, label: provider }))
  const providers = [...configured, ...removed].map(({ name, label }) => ({
    name,
    label,
    account: byProvider.has(name) ? (byProvider.get(name)?.email ?? t('linked')) : undefined,
  }))
  return { html: render(<ConnectionsPage providers={providers} csrf={input.csrf} problem={problem} />) }
}

interface ConnectionsPageProps {
  providers: { name: string; label: string; account: string | undefined }[]
  csrf: string
  problem: PageProblem | undefined
}

const ConnectionsPage = ({ providers, csrf, problem }: ConnectionsPageProps) => (
  <AccountFrame
    title={t('Linked accounts')}
    lead={t('Sign in with an account that you have elsewhere.')}
    consolePage="/security"
    problem={problem}
  >
    {providers.length === 0 && (
      <>
        <p>{t('No other accounts can be linked.')}</p>
        <p class="quiet">{t('An administrator of this instance can add providers such as Google or Microsoft.')}</p>
      </>
    )}
    <ul class="rows" hidden={providers.length === 0}>
      {providers.map(({ name, label, account }) => (
        <li key={name}>
          <div>
            <span class="subject">{label}</span>
            <span class="hint">{account ?? t('Not linked')}</span>
          </div>
          <Form action={PATH} csrf={csrf}>
            <button type="submit" name={account === undefined ? 'link' : 'unlink'} value={name} class="second">
              {account === undefined ? t('Link') : t('Unlink')}
            </button>
          </Form>
        </li>
      ))}
    </ul>
  </AccountFrame>
)

const RedirectPage = ({ url }: { url: string }) => (
  <Layout title={t('On the way')}>
    <h1>{t('On the way …')}</h1>
    <p>
      <a class="button" href={url}>
        {t('Continue')}
      </a>
    </p>
  </Layout>
)
