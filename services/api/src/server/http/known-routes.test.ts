import { expect, test } from 'vitest'
import { createKnownRouteTable } from './known-routes.ts'

const routes = createKnownRouteTable()
routes.add('GET', '/')
routes.add('GET', '/api/team/:id')
routes.add('PUT', '/api/team/:id')
routes.add('GET', '/api/team/:id/invite')
routes.add('POST', '/api/Posts/search/')
routes.add('GET', '/static/*')

test.each([
  ['/', ['GET']],
  ['/api/team/7', ['GET', 'PUT']],
  ['/API/Team/7/', ['GET', 'PUT']],
  ['/api/team/7/INVITE', ['GET']],
  ['/api/team', []],
  ['/api/team/', []],
  ['/api/team//invite', []],
  ['/api/team/7/invite/more', []],
  ['/api/posts/search', ['POST']],
  ['/static', ['GET']],
  ['/static/a/b.js', ['GET']],
  ['/statics', []],
])('the path %s has the methods %j', (path, methods) => {
  expect(routes.methodsOf(path)).toEqual(methods)
})
