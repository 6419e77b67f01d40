import type { ComponentChildren } from 'preact'
import { t } from '../../languages/translate.ts'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { rich } from '../../ui/rich-text.ts'
import { definePage } from '../routing/define-route.ts'

const linkTo = (path: string) => (content: ComponentChildren) => <a href={path}>{content}</a>

/** The page at the base URL. */
export const homePage = definePage({
  method: 'GET',
  path: '/',
  handler: ({ config }) => ({
    html: render(
      <Layout title={t('Home')}>
        <h1>{t('Latchkey is running')}</h1>
        <p>{t('Identity, tenants and licensing for your software, at this address.')}</p>
        <ul>
          <li>{rich('<a>Console</a>: your account, your tenants, the instance', { a: linkTo('/console') })}</li>
          <li>{rich('<a>Sign in</a>: your account', { a: linkTo('/login') })}</li>
          <li>{rich('<a>API</a>: every route, what it takes and answers', { a: linkTo('/docs') })}</li>
          <li>{rich('<a>Health</a>: whether it is ready for traffic', { a: linkTo('/health/ready') })}</li>
          {config.mail.mailbox && (
            <li>{rich('<a>Mailbox</a>: the mail of the demo', { a: linkTo('/dev/mailbox') })}</li>
          )}
        </ul>
      </Layout>,
    ),
  }),
})
