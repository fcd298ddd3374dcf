import { describe, expect, it } from 'vitest';
import { imageSource } from './fields.js';

const HOSTS = ['images.example', '*.cdn.example'];
const PNG = 'iVBORw0KGgo=';

describe('an image', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'])('in a data URL of image/%s stays the same', (type) => {
    expect(imageSource(`data:image/${type};base64,${PNG}`, [])).toEqual({ url: `data:image/${type};base64,${PNG}` });
  });

  it('of a type in other spelling is normalised', () => {
    expect(imageSource(`DATA:image/JPG;Base64,${PNG}`, [])).toEqual({ url: `data:image/jpeg;base64,${PNG}` });
  });

  it.each([
    'data:',
    'data:image/png;base64,',
    'data:image/png;base64,=',
    'data:image/png;base64,abc',
    'data:image/png;base64,ab=c',
    'data:image/png;base64,a===',
    'data:image/png;base64,ab-_',
    'data:image/png;base64,ab c',
    'data:image/png,abcd',
    'data:image/svg+xml;base64,abcd',
    'data:text/html;base64,abcd',
    'data:image/png;charset=x;base64,abcd',
  ])('in a data URL such as %j is refused', (url) => {
    expect(imageSource(url, HOSTS)).toEqual({ fault: expect.any(String) as string });
  });

  it('of many megabytes is checked to its end', () => {
    const data = 'A'.repeat(24 * 1024 * 1024);
    expect(imageSource(`data:image/png;base64,${data}`, [])).toHaveProperty('url');
    expect(imageSource(`data:image/png;base64,${data}AA!A`, [])).toHaveProperty('fault');
  });

  it.each(['https://images.example/a.png', 'https://eu.cdn.example/b?c=d', 'https://IMAGES.example:443/a.png'])(
    'at %s needs the operator’s allow-list',
    (url) => {
      expect(imageSource(url, HOSTS)).toEqual({ url: new URL(url).href });
      expect(imageSource(url, [])).toEqual({ fault: expect.stringContaining('data: URL') as string });
    },
  );

  it.each([
    ['images.example', 8443, true],
    ['images.example:8443', 8443, true],
    ['images.example:443', 443, true],
    ['images.example:8443', 443, false],
    ['images.example:443', 8443, false],
  ])('where %s is allowed, at port %d: %s', (entry, port, allowed) => {
    expect('url' in imageSource(`https://images.example:${port}/a.png`, [entry])).toBe(allowed);
  });

  it.each([
    'http://images.example/a.png',
    'https://user:pw@images.example/a.png',
    'https://images.example.evil/a.png',
    'https://cdn.example/a.png',
    'https://xcdn.example/a.png',
    'https://evil/images.example',
    'https://169.254.169.254/',
    'file:///etc/passwd',
    'ftp://images.example/a',
    '//images.example/a.png',
    'images.example',
    '',
  ])('at %j is refused, whatever is allowed', (url) => {
    expect(imageSource(url, HOSTS)).toEqual({ fault: expect.stringContaining('images.example, *.cdn.example') as string });
  });
});
