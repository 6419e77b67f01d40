export const WebhooksPlace = () => null
