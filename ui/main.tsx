import "./app.tsx";
import "./styles/app.css";
