import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { shell } from '../text/shell.ts'
import { Page } from './page.tsx'
import { Empty } from './states.tsx'

/** An address that leads nowhere, or to what one may not see: which of the two is nobody's business. */
export const NotFound = () => (
  <Page title={shell.notFound.title}>
    <Empty
      icon="search"
      title={shell.notFound.title}
      text={shell.notFound.text}
      action={
        <Button component={Link} href="~/console/account" variant="light">
          {shell.notFound.home}
        </Button>
      }
    />
  </Page>
)
