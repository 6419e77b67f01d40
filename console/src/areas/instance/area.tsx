import { shell } from '../../text/shell.ts'
import { Page } from '../../ui/page.tsx'

/** For those who run the instance. */
export const InstanceArea = () => <Page title={shell.instance}>{null}</Page>
