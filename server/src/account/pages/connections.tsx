import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/page-problem.ts'
import { listLinks, unlink } from '../../sso/links.ts'
import { Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { startLinking } from '../sso/start-linking.ts'
import { AccountFrame, accountPage, type Visit } from './account-page.tsx'

const PATH = '/account/connections'

export const connectionsPages = accountPage({
  path: PATH,
  show,
  act: async (ctx, visit) => {
    const { caller, request, reply, form } = visit
    const userId = caller.userId
    const gone = form.get('unlink')
    if (gone !== undefined) {
      await unlink(ctx, { userId, provider: gone, request })
      return { redirect: PATH }
    }
    const wanted = { provider: form.get('link') ?? '', redirectUri: PATH }
    const url = await startLinking(ctx, visit, { wanted, password: undefined })
    // Browsers hold the way on from a form to the page's policy, which cannot know the provider's address.
    reply.header('Refresh', `0; url=${url}`)
    return { html: render(<OnTheWayPage url={url} />) }
  },
})

async function show(ctx: Ctx, visit: Visit, problem?: PageProblem) {
  const links = await listLinks(ctx, visit.caller.userId)
  const byProvider = new Map(links.map((link) => [link.provider, link]))
  const known = ctx.config.sso.map(({ name, label }) => ({ name, label }))
  // A provider that is not set up any more may still be unlinked.
  const former = links
    .filter(({ provider }) => !known.some(({ name }) => name === provider))
    .map(({ provider }) => ({ name: provider, label: provider }))
  const providers = [...known, ...former].map(({ name, label }) => ({
    name,
    label,
    account: byProvider.has(name) ? (byProvider.get(name)?.email ?? 'linked') : undefined,
  }))
  return { html: render(<ConnectionsPage providers={providers} csrf={visit.csrf} problem={problem} />) }
}

interface ConnectionsPageProps {
  providers: { name: string; label: string; account: string | undefined }[]
  csrf: string
  problem: PageProblem | undefined
}

const ConnectionsPage = ({ providers, csrf, problem }: ConnectionsPageProps) => (
  <AccountFrame title="Linked accounts" problem={problem}>
    <p>Sign in with an account that you have elsewhere.</p>
    <ul class="rows">
      {providers.map(({ name, label, account }) => (
        <li key={name}>
          <div>
            <span class="subject">{label}</span>
            <span class="hint">{account ?? 'Not linked'}</span>
          </div>
          <Form action={PATH} csrf={csrf}>
            <button
              type="submit"
              name={account === undefined ? 'link' : 'unlink'}
              value={name}
              class="second"
            >
              {account === undefined ? 'Link' : 'Unlink'}
            </button>
          </Form>
        </li>
      ))}
    </ul>
  </AccountFrame>
)

const OnTheWayPage = ({ url }: { url: string }) => (
  <Layout title="On the way">
    <h1>On the way …</h1>
    <p>
      <a class="button" href={url}>
        Continue
      </a>
    </p>
  </Layout>
)
