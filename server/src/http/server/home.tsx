import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { definePage } from '../routing/define-route.ts'

/** The page at the base URL. */
export const homePage = definePage({
  method: 'GET',
  path: '/',
  handler: ({ config }) => ({
    html: render(
      <Layout title="Home">
        <h1>Latchkey is running</h1>
        <p>Identity, tenants and licensing for your software, at this address.</p>
        <ul>
          <li>
            <a href="/console">Console</a>: your account, your tenants, the instance
          </li>
          <li>
            <a href="/login">Sign in</a>: your account
          </li>
          <li>
            <a href="/docs">API</a>: every route, what it takes and answers
          </li>
          <li>
            <a href="/health/ready">Health</a>: whether it is ready for traffic
          </li>
          {config.mail.mailbox && (
            <li>
              <a href="/dev/mailbox">Mailbox</a>: the mail of the demo
            </li>
          )}
        </ul>
      </Layout>,
    ),
  }),
})
