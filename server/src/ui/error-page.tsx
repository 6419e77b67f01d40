import { Layout } from './layout.tsx'

export const ErrorPage = ({ message, requestId }: { message: string; requestId: string }) => (
  <Layout title="Something went wrong">
    <h1>That did not work</h1>
    <p role="alert">{message}</p>
    <p class="quiet">Request {requestId}</p>
  </Layout>
)
