import { shell } from '../../../text/shell.ts'
import { Page } from '../../../ui/page.tsx'

export const HealthPlace = () => <Page title={shell.nav.instance.health}>{null}</Page>
