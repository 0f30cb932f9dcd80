// The map: points in WebGL out of typed arrays, with a plain canvas where there is no WebGL. Labels and lasso on a canvas above it.
"use strict";
(() => {
  const box = document.getElementById("map");
  const canvas = document.getElementById("points");
  const over = document.getElementById("over");
  const tip = document.getElementById("tip");
  const hint = document.getElementById("hint");
  const legend = document.getElementById("legend");
  const PALETTE = ["#2e8b57", "#d39a2c", "#c0504d", "#4b7fb5", "#8a5fb0", "#3aa6a0", "#b5658a", "#7a8a2f", "#a06b3c", "#5e6fa8"];
  const GREY = "#8a949b";
  const OUTCOME = { completed: "#2e8b57", recovered: "#d39a2c", failed: "#c0504d", interrupted: "#8a5fb0", unknown: GREY, "": "#4b7fb5" };
  const view = { x: 0, y: 0, zoom: 1 };
  let data = null;
  let colours = null;
  let shown = null;
  let hovered = -1;
  let lasso = null;
  let drag = null;
  let frame = 0;
  let grid = null;
  let painter = null;
  let links = null; // by point, its edges: made when first asked for
  let marked = false; // does the canvas above show anything?
  let moving = 0; // a timer, while the map is dragged or zoomed: many lines are left out until it rests
  const MOST_EDGES = 4000;
  const FEW_EDGES = 300;
  const RESTS = 250;

  const rgb = (hex) => [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));

  function read(buffer) {
    const head = new DataView(buffer);
    const count = head.getUint32(4, true);
    const edges = head.getUint32(8, true);
    const length = head.getUint32(12, true);
    let at = 16;
    const names = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at, length)));
    const take = (kind, size) => {
      const made = new kind(buffer, at, size);
      at += Math.ceil((size * kind.BYTES_PER_ELEMENT) / 4) * 4;
      return made;
    };
    at += Math.ceil(length / 4) * 4;
    return {
      count, names,
      x: take(Float32Array, count), y: take(Float32Array, count), day: take(Uint32Array, count),
      agent: take(Uint16Array, count), project: take(Uint16Array, count), outcome: take(Uint8Array, count), kind: take(Uint8Array, count),
      edges: take(Uint32Array, 2 * edges), relation: take(Uint8Array, edges),
    };
  }

  function paintColours() {
    const by = document.getElementById("colour").value;
    const names = by === "outcome" ? data.names.outcomes : by === "agent" ? data.names.agents : by === "project" ? data.names.projects : [];
    const table = names.map((name, number) => rgb(by === "outcome" ? OUTCOME[name] || GREY : PALETTE[number % PALETTE.length]));
    let first = Infinity;
    let last = 0;
    for (let i = 0; i < data.count; i++) {
      first = Math.min(first, data.day[i]);
      last = Math.max(last, data.day[i]);
    }
    colours = new Uint8Array(4 * data.count);
    for (let i = 0; i < data.count; i++) {
      let one;
      if (by === "age") {
        const young = last > first ? (data.day[i] - first) / (last - first) : 1;
        one = [60 + 150 * young, 110 + 60 * young, 180 - 130 * young];
      } else {
        one = table[data[by][i]] || rgb(GREY);
      }
      colours.set([one[0], one[1], one[2], 255], 4 * i);
    }
    legend.textContent = by === "age" ? "from blue (old) to orange (new)" : "";
    if (by !== "age") {
      names.slice(0, 10).forEach((name, number) => {
        const dot = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        dot.setAttribute("viewBox", "0 0 10 10");
        dot.setAttribute("width", "10");
        dot.setAttribute("height", "10");
        const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
        circle.setAttribute("cx", "5");
        circle.setAttribute("cy", "5");
        circle.setAttribute("r", "5");
        circle.setAttribute("fill", `rgb(${table[number].join(",")})`);
        dot.append(circle);
        legend.append(dot, ` ${(name || "none").split("/").slice(-2).join("/").slice(0, 30)}  `);
      });
    }
  }

  function filter() {
    const wanted = document.getElementById("kind").value;
    const kind = data.names.kinds.indexOf(wanted);
    const kept = [];
    for (let i = 0; i < data.count; i++) if (!wanted || data.kind[i] === kind) kept.push(i);
    shown = Uint32Array.from(kept);
    grid = new Map();
    for (const i of shown) {
      const cell = (Math.floor((data.x[i] + 2) * 64) << 10) | Math.floor((data.y[i] + 2) * 64);
      const list = grid.get(cell);
      if (list) list.push(i);
      else grid.set(cell, [i]);
    }
  }

  // One draw call. No multisampling: the points' rims are softened in the shader, which costs a machine that renders in software half.
  function makeWebGl() {
    const gl = canvas.getContext("webgl", { antialias: false, depth: false, stencil: false, powerPreference: "low-power" });
    if (!gl) return null;
    const program = gl.createProgram();
    const add = (kind, text) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    };
    add(gl.VERTEX_SHADER, `attribute vec2 place; attribute vec4 colour; uniform vec2 middle; uniform vec2 scale; uniform mediump float size;
      varying vec4 tint; void main() { gl_Position = vec4((place - middle) * scale, 0.0, 1.0); gl_PointSize = size; tint = colour; }`);
    add(gl.FRAGMENT_SHADER, `precision mediump float; varying vec4 tint; uniform mediump float size;
      void main() { float far = length(gl_PointCoord - 0.5) * size; gl_FragColor = vec4(tint.rgb, 0.85 * clamp(0.5 * size - far, 0.0, 1.0)); }`);
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
    gl.useProgram(program);
    const [places, tints] = [gl.createBuffer(), gl.createBuffer()];
    const uniform = (name) => gl.getUniformLocation(program, name);
    const [middle, scale, size] = [uniform("middle"), uniform("scale"), uniform("size")];
    const fill = (name, buffer, values, each, kind, scaled) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      const where = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(where);
      gl.vertexAttribPointer(where, each, kind, scaled, 0, 0);
    };
    return {
      load() {
        const where = new Float32Array(2 * shown.length);
        const tint = new Uint8Array(4 * shown.length);
        shown.forEach((i, n) => {
          where[2 * n] = data.x[i];
          where[2 * n + 1] = data.y[i];
          tint.set(colours.subarray(4 * i, 4 * i + 4), 4 * n);
        });
        fill("place", places, where, 2, gl.FLOAT, false);
        fill("colour", tints, tint, 4, gl.UNSIGNED_BYTE, true);
      },
      draw() {
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.enable(gl.BLEND);
        gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        gl.uniform2f(middle, view.x, view.y);
        gl.uniform2f(scale, ...scales());
        gl.uniform1f(size, pointSize());
        gl.drawArrays(gl.POINTS, 0, shown.length);
      },
    };
  }

  // Without WebGL: points of one color together, none that is not seen.
  function makePlain() {
    const pen = canvas.getContext("2d");
    let groups = new Map();
    return {
      load() {
        groups = new Map();
        for (const i of shown) {
          const colour = `rgb(${colours[4 * i]},${colours[4 * i + 1]},${colours[4 * i + 2]})`;
          if (!groups.has(colour)) groups.set(colour, []);
          groups.get(colour).push(i);
        }
      },
      draw() {
        pen.clearRect(0, 0, canvas.width, canvas.height);
        const size = pointSize();
        const [sx, sy] = scales();
        for (const [colour, list] of groups) {
          pen.fillStyle = colour;
          for (const i of list) {
            const x = ((data.x[i] - view.x) * sx + 1) * 0.5 * canvas.width;
            const y = (1 - (data.y[i] - view.y) * sy) * 0.5 * canvas.height;
            if (x > -size && y > -size && x < canvas.width + size && y < canvas.height + size) {
              pen.fillRect(x - size / 2, y - size / 2, size, size);
            }
          }
        }
      },
    };
  }

  // A few hundred lines to a path, none that is not seen.
  function strokeEdges(pen, count, which) {
    pen.strokeStyle = "rgba(128, 140, 148, 0.45)";
    pen.lineWidth = 1;
    pen.beginPath();
    for (let n = 0, drawn = 0; n < count; n++) {
      const i = which(n);
      const [x1, y1] = toScreen(data.x[data.edges[2 * i]], data.y[data.edges[2 * i]]);
      const [x2, y2] = toScreen(data.x[data.edges[2 * i + 1]], data.y[data.edges[2 * i + 1]]);
      const beside = Math.max(x1, x2) < 0 || Math.max(y1, y2) < 0 || Math.min(x1, x2) > canvas.width || Math.min(y1, y2) > canvas.height;
      if (beside) continue;
      pen.moveTo(x1, y1);
      pen.lineTo(x2, y2);
      if (++drawn % 256 === 0) {
        pen.stroke();
        pen.beginPath();
      }
    }
    pen.stroke();
  }

  function edgesOf(point) {
    if (!links) {
      links = new Map();
      for (let i = 0; i < data.relation.length; i++) {
        for (const end of [data.edges[2 * i], data.edges[2 * i + 1]]) {
          if (!links.has(end)) links.set(end, []);
          links.get(end).push(i);
        }
      }
    }
    return links.get(point) || [];
  }

  const pointSize = () => Math.min(16, Math.max(3, (shown.length > 5000 ? 3 : shown.length > 500 ? 6 : 9) * Math.sqrt(view.zoom))) * (window.devicePixelRatio || 1);
  function scales() {
    const side = Math.min(canvas.width, canvas.height);
    return [(0.88 * view.zoom * side) / canvas.width, (0.88 * view.zoom * side) / canvas.height];
  }
  function toScreen(x, y) {
    const [sx, sy] = scales();
    return [((x - view.x) * sx + 1) * 0.5 * canvas.width, (1 - (y - view.y) * sy) * 0.5 * canvas.height];
  }
  function toWorld(x, y) {
    const [sx, sy] = scales();
    return [((2 * x) / canvas.width - 1) / sx + view.x, (1 - (2 * y) / canvas.height) / sy + view.y];
  }
  function pixel(event) {
    const edge = canvas.getBoundingClientRect();
    return [((event.clientX - edge.left) * canvas.width) / edge.width, ((event.clientY - edge.top) * canvas.height) / edge.height];
  }

  function draw() {
    frame = 0;
    if (!data) return;
    painter.draw();
    const all = hovered < 0 && (!moving || data.relation.length <= FEW_EDGES) ? Math.min(data.relation.length, MOST_EDGES) : 0;
    if (hovered < 0 && !lasso && !all && !marked) return;
    const pen = over.getContext("2d");
    pen.clearRect(0, 0, over.width, over.height);
    marked = hovered >= 0 || lasso !== null || all > 0;
    if (all) strokeEdges(pen, all, (n) => n);
    if (hovered >= 0) {
      const own = edgesOf(hovered);
      strokeEdges(pen, own.length, (n) => own[n]);
    }
    if (hovered >= 0) {
      const [x, y] = toScreen(data.x[hovered], data.y[hovered]);
      pen.strokeStyle = getComputedStyle(box).color;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x, y, pointSize(), 0, 2 * Math.PI);
      pen.stroke();
    }
    if (lasso) {
      pen.strokeStyle = "#0b6468";
      pen.fillStyle = "rgba(11, 100, 104, 0.12)";
      pen.beginPath();
      lasso.forEach(([x, y], n) => (n ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
      pen.fill();
      pen.stroke();
    }
  }
  const redraw = () => {
    if (!frame) frame = requestAnimationFrame(draw);
  };

  function move() {
    clearTimeout(moving);
    moving = setTimeout(() => {
      moving = 0;
      redraw();
    }, RESTS);
    redraw();
  }

  function nearest(px, py) {
    const [x, y] = toWorld(px, py);
    const reach = 14 / (0.44 * view.zoom * Math.min(canvas.width, canvas.height));
    let best = -1;
    let least = reach * reach;
    const span = Math.max(1, Math.ceil(reach * 64));
    const cx = Math.floor((x + 2) * 64);
    const cy = Math.floor((y + 2) * 64);
    for (let gx = cx - span; gx <= cx + span; gx++) {
      for (let gy = cy - span; gy <= cy + span; gy++) {
        for (const i of grid.get((gx << 10) | gy) || []) {
          const far = (data.x[i] - x) ** 2 + (data.y[i] - y) ** 2;
          if (far < least) {
            least = far;
            best = i;
          }
        }
      }
    }
    return best;
  }

  function inside(x, y, shape) {
    let within = false;
    for (let i = 0, j = shape.length - 1; i < shape.length; j = i++) {
      const [xi, yi] = shape[i];
      const [xj, yj] = shape[j];
      if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) within = !within;
    }
    return within;
  }

  function tell(chosen) {
    const list = document.getElementById("chosen");
    list.textContent = "";
    document.getElementById("chosen-note").textContent = chosen.length
      ? `${chosen.length} chosen${chosen.length > 50 ? ", the newest 50 below" : ""}.`
      : "Nothing there.";
    for (const i of chosen.slice(0, 50)) {
      const row = document.createElement("li");
      row.className = "item";
      const link = document.createElement("a");
      link.href = `/kb/${encodeURIComponent(data.names.ids[i])}`;
      link.textContent = data.names.titles[i] || data.names.ids[i];
      row.append(link);
      list.append(row);
    }
  }

  function zoomBy(factor, px, py) {
    const before = toWorld(px, py);
    view.zoom = Math.min(400, Math.max(0.5, view.zoom * factor));
    const after = toWorld(px, py);
    view.x += before[0] - after[0];
    view.y += before[1] - after[1];
    move();
  }

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY / 400), ...pixel(event));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const at = pixel(event);
    if (event.shiftKey) lasso = [at];
    else drag = { at, moved: 0 };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!data) return;
    const at = pixel(event);
    if (lasso) {
      lasso.push(at);
      redraw();
      return;
    }
    if (drag) {
      const from = toWorld(...drag.at);
      const to = toWorld(...at);
      view.x += from[0] - to[0];
      view.y += from[1] - to[1];
      drag.moved += Math.abs(at[0] - drag.at[0]) + Math.abs(at[1] - drag.at[1]);
      drag.at = at;
      move();
      return;
    }
    const found = nearest(...at);
    if (found === hovered) return;
    hovered = found;
    tip.hidden = found < 0;
    if (found >= 0) {
      tip.textContent = data.names.titles[found] || data.names.ids[found];
      const edge = canvas.getBoundingClientRect();
      tip.style.left = `${Math.min(event.clientX - edge.left + 14, edge.width - 200)}px`;
      tip.style.top = `${Math.min(event.clientY - edge.top + 14, edge.height - 40)}px`;
    }
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (lasso) {
      const shape = lasso;
      lasso = null;
      tell(Array.from(shown).filter((i) => inside(...toScreen(data.x[i], data.y[i]), shape)));
      redraw();
    } else if (drag && drag.moved < 6 && data) {
      const found = nearest(...pixel(event));
      if (found >= 0) window.location.href = `/kb/${encodeURIComponent(data.names.ids[found])}/near`;
    }
    drag = null;
  });
  canvas.addEventListener("keydown", (event) => {
    const step = 0.15 / view.zoom;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (moves[event.key]) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
    } else if (event.key === "+" || event.key === "=") zoomBy(1.3, canvas.width / 2, canvas.height / 2);
    else if (event.key === "-") zoomBy(1 / 1.3, canvas.width / 2, canvas.height / 2);
    else return;
    event.preventDefault();
    redraw();
  });
  document.getElementById("colour").addEventListener("change", () => {
    paintColours();
    painter.load();
    redraw();
  });
  document.getElementById("kind").addEventListener("change", () => {
    filter();
    painter.load();
    redraw();
  });
  document.getElementById("reset").addEventListener("click", () => {
    Object.assign(view, { x: 0, y: 0, zoom: 1 });
    redraw();
  });

  function fit() {
    const ratio = window.devicePixelRatio || 1;
    for (const each of [canvas, over]) {
      each.width = Math.max(1, Math.round(box.clientWidth * ratio));
      each.height = Math.max(1, Math.round(box.clientHeight * ratio));
    }
    redraw();
  }

  async function start() {
    const answer = await fetch(box.dataset.points, { credentials: "same-origin" });
    if (!answer.ok) {
      hint.textContent = "The map cannot be made now; try again later.";
      return;
    }
    data = read(await answer.arrayBuffer());
    painter = makeWebGl() || makePlain();
    filter();
    paintColours();
    painter.load();
    hint.textContent = data.count ? `${data.count.toLocaleString("en")} records` : "Nothing here yet: `diarist ingest` brings sessions in.";
    box.dataset.ready = String(data.count);
    fit();
  }
  new ResizeObserver(fit).observe(box);
  start();
})();
