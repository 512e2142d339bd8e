import { runKubectl } from './cluster.ts'

/** Span of a trace, in the format that the collector prints. */
export type CollectedSpan = Readonly<{
  traceId: string
  service: string
  name: string
}>

const programme = `
  require('node:http').createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name').value.stringValue
      for (const { traceId, name } of scopeSpans.flatMap(({ spans }) => spans))
        if (/container|Reconcile|^POST api$/.test(name)) console.log(JSON.stringify({ traceId, service, name }))
    }
    response.end('{}')
  }).listen(4318)`

/** Name of the collector's service. Pods of the release reach it at `http://collector:4318`. */
const collectorName = 'collector'

/** Starts a collector of traces as a pod, with an image that the cluster already has. */
export async function startCollector(namespace: string) {
  const inNamespace = ['--namespace', namespace]
  const pod = ['--image=capstan/api:dev', '--port=4318', '--expose', '--command', '--', 'node', '--eval', programme]
  await runKubectl(...inNamespace, 'run', collectorName, ...pod)
  await runKubectl(...inNamespace, 'wait', `pod/${collectorName}`, '--for=condition=Ready', '--timeout=5m')
  const spans = async (): Promise<CollectedSpan[]> => {
    const lines = (await runKubectl(...inNamespace, 'logs', collectorName)).split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line) as CollectedSpan)
  }
  return { spans }
}
