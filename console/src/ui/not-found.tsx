import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { shell } from '../text/shell.ts'
import { Page } from './page.tsx'
import { EmptyState } from './states.tsx'

/** Shown for unknown pages and for pages without permission alike, to reveal nothing. */
export const NotFound = () => (
  <Page title={shell.notFound.title}>
    <EmptyState
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
